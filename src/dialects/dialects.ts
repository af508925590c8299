// The wire protocols that are served; a path belongs to one of them at most.

import type { Dialect } from './dialect.ts';
import { nativeDialect } from './native-dialect.ts';

export const DIALECTS: readonly Dialect[] = [nativeDialect];
