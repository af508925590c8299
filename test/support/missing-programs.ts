// Programs of the system that are not there: `npm test` looks for them first, and tells their names.

const missing = (process.env.WITHOUT_PROGRAMS ?? '').split(',');

export const isMissing = (program: string): boolean => missing.includes(program);
