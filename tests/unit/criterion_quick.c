/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Criterion starts libgit2 in the process of every test, for comparisons that none of ours uses, and that reads every
 * certificate of the machine: 6 ms a test, half of what a test costs. These stand before the library's own.
 */
int git_libgit2_init(void);
int git_libgit2_shutdown(void);

int git_libgit2_init(void)
{
    return 1;
}

int git_libgit2_shutdown(void)
{
    return 0;
}
