/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/loop/loop_traffic.h"

#include "base/cache_line.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
    BESIDE_BYTES = 4096, /* operands this near walk through the same lines, sooner or later */
    OPERANDS_MOST = 256,
};

struct operand {
    struct loop_address address;
    uint64_t place;  /* by the sampled registers; address.offset where they aren't known */
    bool has_place;
    bool reads, writes, non_temporal;
    uint32_t row, stream;
};

static bool symbol_value(const struct loop_sample *sample, uint32_t symbol, uint64_t *ret_value)
{
    if (symbol == SYMBOL_NOTHING) {
        *ret_value = 0;
        return true;
    }
    if (!sample || symbol >= 64 || !(sample->mask >> symbol & 1))
        return false;
    *ret_value = sample->values[__builtin_popcountll(sample->mask & (((uint64_t)1 << symbol) - 1))];
    return true;
}

static bool is_non_temporal(const struct instruction *row)
{
    return row->mnemonic && (strncmp(row->mnemonic, "movnt", 5) == 0 || strncmp(row->mnemonic, "vmovnt", 6) == 0) &&
           row->is_store;
}

static struct operand operand_of(const struct loop_path *path, uint32_t at, const struct loop_sample *sample)
{
    const struct instruction *row = &path->all[path->rows[at]];
    struct operand operand = {.address = path->addresses[at], .reads = row->is_load, .writes = row->is_store,
                              .non_temporal = is_non_temporal(row), .row = path->rows[at], .stream = UINT32_MAX};
    uint64_t base, index;
    operand.has_place =
        symbol_value(sample, operand.address.base, &base) && symbol_value(sample, operand.address.index, &index);
    operand.place = (uint64_t)operand.address.offset;
    if (operand.has_place)
        operand.place += base + index * (operand.address.index == SYMBOL_NOTHING ? 0 : operand.address.scale);
    return operand;
}

static bool same_stream(const struct operand *a, const struct operand *b)
{
    bool same_symbols = a->address.base == b->address.base && a->address.index == b->address.index &&
                        (a->address.index == SYMBOL_NOTHING || a->address.scale == b->address.scale) &&
                        a->address.segment == b->address.segment;
    if (a->address.step != b->address.step || (!same_symbols && !(a->has_place && b->has_place)))
        return false;
    int64_t apart = (int64_t)(a->place - b->place);
    return llabs(apart) < BESIDE_BYTES;
}

/* ---- one stream ---- */

static int operand_compare(const void *a, const void *b)
{
    uint64_t left = (*(const struct operand *const *)a)->place, right = (*(const struct operand *const *)b)->place;
    return (left > right) - (left < right);
}

/* Bytes that the operands touch in a turn, each once, and lines from the first on. */
static void stream_extent(struct loop_stream *stream, const struct operand **members, uint32_t count)
{
    uint64_t step = (uint64_t)llabs(stream->step), first = members[0]->place, end = first, used = 0, lines = 0,
             next_line = 0;
    for (uint32_t at = 0; at < count; at++) {
        uint64_t from = members[at]->place, to = from + members[at]->address.size_bytes;
        used += to > end ? to - (from > end ? from : end) : 0;
        end = to > end ? to : end;
        uint64_t line = (from - first) / CACHE_LINE_BYTES,
                 last_line = to > from ? (to - 1 - first) / CACHE_LINE_BYTES : line;
        line = line < next_line ? next_line : line;
        lines += last_line >= line ? last_line - line + 1 : 0;
        next_line = last_line + 1 > next_line ? last_line + 1 : next_line;
    }
    stream->used_bytes = (uint32_t)(used < step ? used : step);
    uint64_t moved = step < CACHE_LINE_BYTES || lines * CACHE_LINE_BYTES > step ? step : lines * CACHE_LINE_BYTES;
    stream->moved_bytes = (uint32_t)moved;
}

static void stream_fill(struct loop_stream *stream, const struct operand *operands, uint32_t count, uint32_t number)
{
    const struct operand *members[OPERANDS_MOST];
    uint32_t member_count = 0;
    bool plain_store = false;
    *stream = (struct loop_stream){.row = UINT32_MAX, .non_temporal = true};
    for (uint32_t at = 0; at < count; at++) {
        const struct operand *one = &operands[at];
        if (one->stream != number)
            continue;
        members[member_count++] = one;
        stream->row = stream->row == UINT32_MAX ? one->row : stream->row;
        stream->step = one->address.step;
        stream->reads |= one->reads;
        stream->writes |= one->writes;
        plain_store |= one->writes && !one->non_temporal;
    }
    stream->operands = member_count;
    stream->non_temporal = stream->writes && !plain_store;
    stream->least_trips = (uint32_t)stream->reads + stream->writes;
    stream->trips = stream->least_trips + (plain_store && !stream->reads);
    qsort(members, member_count, sizeof(*members), operand_compare);
    stream_extent(stream, members, member_count);
}

/* Streams by their nearest operand, so that a row of operands each beside the next is one. */
static uint32_t streams_number(struct operand *operands, uint32_t count)
{
    uint32_t streams = 0;
    for (uint32_t at = 0; at < count; at++) {
        for (uint32_t other = 0; other < at; other++) {
            if (!same_stream(&operands[at], &operands[other]) || operands[at].stream == operands[other].stream)
                continue;
            uint32_t old = operands[at].stream;
            operands[at].stream = operands[other].stream;
            for (uint32_t each = 0; old != UINT32_MAX && each < at; each++)
                if (operands[each].stream == old)
                    operands[each].stream = operands[other].stream;
        }
        if (operands[at].stream == UINT32_MAX)
            operands[at].stream = streams++;
    }
    return streams;
}

static void traffic_sum(struct loop_traffic *traffic)
{
    for (uint32_t at = 0; at < traffic->stream_count; at++) {
        const struct loop_stream *stream = &traffic->streams[at];
        traffic->bytes += (double)stream->trips * stream->moved_bytes;
        traffic->least_bytes += (double)stream->least_trips * stream->moved_bytes;
        traffic->trips += stream->trips;
        traffic->least_trips += stream->least_trips;
    }
    traffic->extra_trips = traffic->trips - traffic->least_trips;
    traffic->extra_ratio = traffic->least_bytes > 0 ? traffic->bytes / traffic->least_bytes - 1 : 0;
}

void loop_traffic_of(struct loop_traffic *ret_traffic, const struct loop_path *path, const struct loop_sample *sample)
{
    struct loop_traffic traffic = {.known = false};
    struct operand operands[OPERANDS_MOST];
    uint32_t count = 0;
    for (uint32_t at = 0; at < path->count && count < OPERANDS_MOST; at++) {
        const struct instruction *row = &path->all[path->rows[at]];
        const struct loop_address *address = &path->addresses[at];
        if (!row->memory.is_present || (!row->is_load && !row->is_store))
            continue;
        if (!address->steps) {
            traffic.unknown_loads += row->is_load;
            traffic.unknown_stores += row->is_store;
        } else if (!address->step) {
            traffic.fixed_count++;
        } else {
            operands[count++] = operand_of(path, at, sample);
        }
    }
    uint32_t streams = streams_number(operands, count);
    for (uint32_t number = 0; number < streams && traffic.stream_count < LOOP_STREAMS_MOST; number++) {
        stream_fill(&traffic.streams[traffic.stream_count], operands, count, number);
        traffic.stream_count += traffic.streams[traffic.stream_count].operands > 0;
    }
    traffic_sum(&traffic);
    traffic.known = path->is_closed && !path->has_inner_loop;
    traffic.why_not = traffic.known ? NULL : "the way through the loop isn't known";
    *ret_traffic = traffic;
}
