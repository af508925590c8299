// What a finishing thread says to the one that started it. It is told everything when it starts and is ended when
// nobody wants its file any more, so nothing is said the other way.

import type { ErrorCode } from '../../base/app-error.ts';
import type { FinishedSound } from './finished-sound.ts';

export type FinishingAnswer =
  | { readonly kind: 'progress'; readonly done: number }
  | { readonly kind: 'finished'; readonly sound: FinishedSound }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string };
