// How the sends of one key are to be counted. Both kinds are counts over ranges of one log of sends, which is why a
// store in memory and one in Redis can apply them exactly alike.

export type QuotaRule =
  /** No count limits the key; only its 429s do. */
  | { readonly kind: 'unlimited' }
  /** At most `limit` sends in any `spanMs`: the window and the spread of the latency on the way. */
  | { readonly kind: 'sliding'; readonly limit: number; readonly spanMs: number }
  /**
   * At most `limit` sends in each window of `periodMs` that begins at `originMs` + k · `periodMs` of the store's
   * clock; a send within `guardMs` of a boundary counts on both sides.
   */
  | {
      readonly kind: 'phase';
      readonly limit: number;
      readonly originMs: number;
      readonly periodMs: number;
      readonly guardMs: number;
    };
