// The port for the files of works: what was uploaded, parts of speech on their way, and what is served in the end.
// Programs that work on files need real paths, so a store elsewhere works in a local scratch folder and publishes.

import type { Readable } from 'node:stream';

export type StoredFile = {
  readonly bytes: number;
  /** The bytes from `start` to `end` (both counted, from 0); destroyed by a reader that stops early. */
  open(range?: { readonly start: number; readonly end: number }): Readable;
};

export type WorkFiles = {
  /** A folder of this work's own on this machine, created when it is missing; it may be gone after a restart. */
  scratch(workId: string): Promise<string>;
  /**
   * What lies at `path` is to be found under `name` in the scratch folder by whoever goes on with the work: called when it is
   * whole, before it gets that name here.
   */
  checkpoint(workId: string, name: string, path: string): Promise<void>;
  /** Whether `name` is in the scratch folder, brought there if need be; what nobody has is not there. */
  recover(workId: string, name: string): Promise<boolean>;
  /** Makes the file at `path` (in the scratch folder) the work's `name`, whole or not at all. It is moved, not copied. */
  publish(workId: string, name: string, path: string): Promise<{ readonly bytes: number }>;
  /** A published file; undefined when there is none. */
  find(workId: string, name: string): Promise<StoredFile | undefined>;
  /** What was published of a work. */
  names(workId: string): Promise<readonly string[]>;
  /** What lies in the scratch folder, whoever has made it, by name. */
  parts(workId: string): Promise<readonly string[]>;
  /** Drops the scratch folder; what was published stays. */
  tidy(workId: string): Promise<void>;
  /** Drops everything of a work. */
  remove(workId: string): Promise<void>;
  /** Ids of works that have anything here. */
  owned(): Promise<readonly string[]>;
};
