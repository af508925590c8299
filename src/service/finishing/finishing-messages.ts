// What a finishing thread says to the one that started it. It gets its whole input when it starts and is ended when its
// file is not wanted any more, so there are no messages in the other direction.

import type { ErrorCode } from '../../base/app-error.ts';
import type { FinishedSound } from './finished-sound.ts';

export type FinishingAnswer =
  | { readonly kind: 'progress'; readonly done: number }
  | { readonly kind: 'finished'; readonly sound: FinishedSound }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string };
