// The port to what all instances know of each other: which of them live and where they are reached, and which of them has a
// session.

export type Instance = {
  readonly id: string;
  /** Where other instances reach it: `http://host:port` or `https://…`. */
  readonly url: string;
  readonly version: string;
};

export type InstanceDirectory = {
  /** The others that live, of which this instance knows that one of ours has entered them. */
  others(): readonly Instance[];
  /** The other instance that has the session; undefined: none. Rejects with `busy` while the directory cannot be asked. */
  find(session: string): Promise<Instance | undefined>;
  /** This instance has the session now. */
  entered(session: string): void;
  left(session: string): void;
  isUp(): boolean;
  /** This instance is not listed any more. */
  close(): Promise<void>;
};
