#!/bin/bash
# job.sh - a job of a batch system (SLURM) that ends with a save, for
# docs/howto/sigterm.md.
#
# SPDX-License-Identifier: MIT

#SBATCH --time=24:00:00
#SBATCH --signal=B:TERM@120
# Two minutes before the end this shell is told, and tells the program.
trap 'kill -TERM $program' TERM
./running sigterm &
program=$!
wait $program || wait $program
