// The clock that the processes of one machine share: Node's high-resolution time is the system's monotonic clock
// (CLOCK_MONOTONIC on Linux), so a stamp of one process may be taken from a stamp of another.

export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
