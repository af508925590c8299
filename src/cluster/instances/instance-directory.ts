// The port to what all instances know of each other: which of them live and where they are reached, and which of them has
// what goes by a name: a session, or a call.

export type Instance = {
  readonly id: string;
  /** Where other instances reach it: `http://host:port` or `https://…`. */
  readonly url: string;
  readonly version: string;
};

export type InstanceDirectory = {
  /** The others that live, of which this instance knows that one of ours has entered them. */
  others(): readonly Instance[];
  /**
   * The other instance that has it; undefined: none. Rejects with `busy` while the directory cannot be asked, or the instance that
   * had it last is not listed; `ask-it`: one that was listed a short while ago is told all the same, and is none if it does not
   * answer.
   */
  find(name: string, unlisted?: 'busy' | 'ask-it'): Promise<Instance | undefined>;
  /** Calls `listener` whenever another instance may have got it; the result ends that. */
  watch(name: string, listener: () => void): () => void;
  /** This instance has it now. */
  entered(name: string): void;
  left(name: string): void;
  /** A token that was taken back, and how long it could still be used; remembered while the directory cannot be reached. */
  revoke(token: string, leftMs: number): void;
  /** Called for each token that was taken back at any instance, those of before the start included; it may be told twice. */
  onRevoked(listener: (token: string, leftMs: number) => void): void;
  isUp(): boolean;
  /** This instance is not listed any more. */
  close(): Promise<void>;
};

export const sessionName = (id: string): string => `session:${id}`;
