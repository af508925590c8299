// How many random trials a test makes. The usual number finds what a change breaks and keeps the suite short on a loaded
// machine; FUZZ=all makes every trial that the promise behind the test names.

export const trialSize = (all: number, usual: number): number => (process.env.FUZZ === 'all' ? all : usual);
