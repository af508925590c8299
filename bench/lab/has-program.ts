// Whether a system program is there, for benches that measure with it and say so when it is not.

import { spawnSync } from 'node:child_process';

export const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).status === 0;
