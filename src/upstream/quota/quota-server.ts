// The port to the server where all instances count together: its two atomic steps, their requests and answers. quota-scripts.ts
// says what they do; a failure on the way rejects, within a deadline of the server's own.

import type { QuotaAsk, QuotaId } from './quota-store.ts';

export type AcquireRequest = {
  readonly epoch: string;
  readonly instance: string;
  /** Upper bound of the store's time, as far as this instance knows. */
  readonly latestMs: number;
  readonly ask: QuotaAsk;
  /** What to leave of each quota of the ask, in that order. */
  readonly leaves: readonly number[];
  /** What this instance took from its own share: granted while the store is being rebuilt. */
  readonly own: QuotaId | undefined;
  readonly keepMs: number;
};

export type Acquired =
  /** Another epoch than the instance knows: exchange first. */
  | { readonly kind: 'other epoch' }
  /** The store's time is ahead of what the instance knows, or the request came late: exchange first. */
  | { readonly kind: 'ahead' }
  /** Only what is within the own share. */
  | { readonly kind: 'rebuilding' }
  | { readonly kind: 'granted'; readonly quota: QuotaId }
  /** `held`: there is room, but it is still reserved by the leases of other instances. */
  | { readonly kind: 'full'; readonly waitsMs: readonly number[]; readonly room: 'held' | 'none' };

/** What an instance may send without asking; lease-script.ts has its arithmetic. */
export type Lease = {
  /** The store's time of the picture that it belongs to. */
  readonly atMs: number;
  readonly extra: number;
  /** Sends in the picture that counted at that time. */
  readonly counted: number;
  /** Number of instances among which the limit is divided; 0: no lease yet. */
  readonly among: number;
};

/** A send: its reservation and the store's time. */
export type ToldSend = readonly [reservation: string, atMs: number];

export type ToldQuota = {
  readonly sends: readonly ToldSend[];
  /** Reservations that are given back. */
  readonly gone: readonly string[];
  /** Sends under way; of interest while there was no refusal. */
  readonly open: number;
  /** From when on the sends of all instances are requested; 0: all. */
  readonly since: number;
  /** The lease that this instance has. */
  readonly lease: { readonly at: number; readonly among: number };
  /** A higher version than the store's replaces the store's state. */
  readonly version: number;
  readonly state: string;
  /** Names and values as the script reads them. */
  readonly rule: readonly (string | number)[];
};

/** The correction of the store's shift of its server's clock. */
export type ClockStep = { readonly from: number; readonly to: number };

export type ExchangeRequest = {
  readonly instance: string;
  readonly epoch: string;
  /** The name of a new epoch, if one must begin. */
  readonly fresh: string;
  /** Bounds of the store's time, as far as this instance knows; both 0 when unknown. */
  readonly estimate: number;
  readonly latest: number;
  /** The clock of the server was surely set. */
  readonly step: ClockStep | undefined;
  /** This instance may have sent without the store since its last complete report. */
  readonly wasCut: boolean;
  /** All sends of this instance that may still count are included. */
  readonly isComplete: boolean;
  readonly isLeaving: boolean;
  /** Instances that a rebuilding must hear. */
  readonly expected: number;
  readonly keepMs: number;
  readonly rebuildMs: number;
  /** How long room is kept for an instance that is silent. */
  readonly heldMs: number;
  readonly stateMs: number;
  /** In the order in which the server was given them. */
  readonly quotas: readonly ToldQuota[];
};

export type SeenQuota = {
  readonly version: number;
  /** The store's state, if it is not the one that was told. */
  readonly state: string | undefined;
  readonly sends: readonly ToldSend[];
  /** Reservations that any instance has given back since; empty with all sends. */
  readonly gone: readonly string[];
  /** Sends that other instances have under way, as they last told; infinite while one of them has not told it. */
  readonly othersOpen: number;
  /** A new lease, with a whole picture; none for a quota without a limit. */
  readonly lease: Lease | undefined;
};

export type Exchanged =
  | Told
  /** Nothing was changed: the store's time is ahead of what the instance knows, or the request came late. */
  | { readonly kind: 'ahead'; readonly shiftMs: number; readonly serverMs: number };

export type Told = {
  readonly kind: 'told';
  readonly epoch: string;
  readonly storeMs: number;
  /** Added to the server's clock it is the store's time; while it is unchanged, that time runs evenly. */
  readonly shiftMs: number;
  readonly isRebuilding: boolean;
  /** Instances that share, silent ones included. */
  readonly instances: number;
  readonly quotas: readonly SeenQuota[];
};

export type QuotaServer = {
  isReady(): boolean;
  acquire(request: AcquireRequest): Promise<Acquired>;
  exchange(request: ExchangeRequest): Promise<Exchanged>;
  /** Called each time that a connection is ready or lost. Replaces the last listener. */
  onConnection(listener: (state: 'ready' | 'lost') => void): void;
  close(): void;
};
