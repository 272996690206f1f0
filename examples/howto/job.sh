#!/bin/bash
# job.sh - A batch job (SLURM) that saves before it ends, for
# docs/howto/sigterm.md.
#
# SPDX-License-Identifier: MIT

#SBATCH --time=24:00:00
#SBATCH --signal=B:TERM@120
# Two minutes before the end SLURM signals this shell. It signals the program.
trap 'kill -TERM $program' TERM
./running sigterm &
program=$!
wait $program || wait $program
