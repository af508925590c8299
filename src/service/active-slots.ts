// The port for "one active generation per user" where several instances serve the same users. Within one store its own
// index guards that (playnotes/playnote-service.ts refuses with 403); this is what they share beyond it.

export type ActiveSlots = {
  /** Takes the owner's slot for `workId`, until it is released; true when the owner has it now (or had it before). */
  claim(owner: string, workId: string): Promise<boolean>;
  /** Gives the slot back if it is held for `workId`. */
  release(owner: string, workId: string): Promise<void>;
};

/** One instance alone: its store says enough. */
export const soleInstance: ActiveSlots = {
  claim: async () => true,
  release: async () => {},
};
