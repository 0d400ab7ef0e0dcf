#!/bin/sh
# The README's commands for many runs, taken from the README as they stand, on tiny models.
set -u
program=$(realpath "${SOLILOQUY:?names the program to test}")
work=${TEST_DIRECTORY:?names a scratch directory}
root=$PWD
failures=0 why=''
verdict() {
    if [ -z "$why" ]; then echo "pass sweep: $1"
    else
        echo "fail sweep: $1:$why"
        failures=$((failures + 1))
    fi
    why=''
}
wrong() { why="$why [$1]"; }

# What the commands call: training with a few steps of small batches.
cat >"$work/soliloquy" <<END
#!/bin/sh
[ "\$1" = train ] && shift && exec "$program" train --data "$root/data/sample.txt" --steps 20 --eval-every 10 --warmup 2 \\
    --context 8 --batch-size 8 "\$@"
END
chmod +x "$work/soliloquy"
cd "$work" || exit 1

# readme WORD: runs the one block of commands in the README that begins with the word.
readme() {
    awk -v word="$1" '/^```/ { inside = $0 == "```sh"; first = inside; next }
        inside && first { wanted = index($0, word " ") == 1; first = 0 }
        inside && wanted' "$root/README.md" >commands
    [ -s commands ] || wrong "the README has no commands that begin with $1"
    sh -eu commands >out 2>err || wrong "$1 ended with status $?: $(tail -n 1 err)"
    [ ! -s err ] || wrong "$(head -n 1 err)"
}
# runs COUNT: so many complete runs are there.
runs() {
    [ "$(cat runs/sweep/*/log.jsonl | grep -c '^{"step": 20,')" -eq "$1" ] || wrong "not $1 runs: $(ls runs/sweep)"
}

readme seq
runs 16
[ ! -s out ] || wrong "$(head -n 1 out)"
verdict 'seeds with xargs'

readme awk
[ "$(wc -l <runs/sweep.jsonl)" -eq 64 ] || wrong "$(wc -l <runs/sweep.jsonl) lines"
[ "$(grep -c '^{"run": "runs/sweep/seed-7/log.jsonl", "step": 20, ' runs/sweep.jsonl)" -eq 1 ] || wrong 'no seed 7'
grep -q '^{"run": "runs/sweep/seed-16/log.jsonl", .*"seed": 16,' runs/sweep.jsonl || wrong 'no settings of seed 16'
if command -v python3 >/dev/null 2>&1; then
    python3 -c 'import json; [json.loads(line)["run"] for line in open("runs/sweep.jsonl")]' 2>err ||
        wrong "$(tail -n 1 err)"
fi
verdict 'one command merges the logs'

readme sed
[ "$(wc -l <out)" -eq 10 ] || wrong "$(cat out)"
best=$(cat runs/sweep/*/log.jsonl | sed -n 's/.*"validation_loss": \([0-9.]*\),.*/\1/p' | LC_ALL=C sort -n | head -n 1)
grep -q "^$best runs/sweep/seed-[0-9]*/log.jsonl\$" out || wrong "the best is $best: $(cat out)"
LC_ALL=C sort -n -c out || wrong 'they are not sorted'
[ "$(cut -d ' ' -f 2 out | sort -u | wc -l)" -eq 10 ] || wrong "a run twice: $(cat out)"
verdict 'one command lists the best runs'

rm -rf runs
if command -v parallel >/dev/null 2>&1 && parallel --version 2>/dev/null | grep -q '^GNU'; then
    readme parallel
    runs 9
    [ -s runs/sweep/c32-h128/log.jsonl ] || wrong 'no c32-h128'
    verdict 'sizes with GNU parallel'
else
    echo 'skip sweep: sizes with GNU parallel: it is missing'
fi

# In the place of Slurm: the first and the last task of the array, in a shell of their own.
cat >sbatch <<'END'
#!/bin/sh
[ "$1 $2 $3" = '--array=1-64 --cpus-per-task=1 --output=sweep-%a.txt' ] && [ "$4" = --wrap ] && [ $# -eq 5 ] || exit 1
for task in 1 64; do
    SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_PER_TASK=1 sh -c "$5" >"sweep-$task.txt" || exit
done
END
chmod +x sbatch
rm -rf runs
PATH=$work:$PATH
readme sbatch
runs 2
grep -q '"seed": 64,' runs/sweep/seed-64/log.jsonl || wrong 'no seed 64'
verdict 'a Slurm array'

[ "$failures" -eq 0 ]
