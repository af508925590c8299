// The port to the place where all instances count together: its two atomic steps, and what is told and answered in
// them. quota-scripts.ts says what they do; whatever goes wrong on the way there rejects, within a deadline of its own.

import type { QuotaAsk, QuotaId } from './quota-store.ts';

export type AcquireRequest = {
  readonly epoch: string;
  readonly instance: string;
  /** The store's time is not later, as far as this instance knows. */
  readonly latestMs: number;
  readonly ask: QuotaAsk;
  /** What to leave of each quota that it is among, in that order. */
  readonly leaves: readonly number[];
  /** What this instance would take from its own share, and has noted: granted while the store is being rebuilt. */
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
  /** `held`: there is room, but it is kept for instances that have yet to hear that they do not need it. */
  | { readonly kind: 'full'; readonly waitsMs: readonly number[]; readonly room: 'held' | 'none' };

/** What an instance may send without asking; lease-script.ts has its arithmetic. */
export type Lease = {
  /** The store's time of the picture that it belongs to. */
  readonly atMs: number;
  readonly extra: number;
  /** Sends in the picture that counted at that time. */
  readonly counted: number;
  /** Among how many a share is divided; 0: none yet. */
  readonly among: number;
};

/** A send: its reservation and the store's time. */
export type ToldSend = readonly [reservation: string, atMs: number];

export type ToldQuota = {
  readonly sends: readonly ToldSend[];
  /** Reservations that are given back. */
  readonly gone: readonly string[];
  /** From when on everybody's sends are asked for; 0: all. */
  readonly since: number;
  /** The lease that this instance has. */
  readonly lease: { readonly at: number; readonly among: number };
  /** A greater one than the store's replaces what the store has. */
  readonly version: number;
  readonly state: string;
  /** Names and values as the script reads them. */
  readonly rule: readonly (string | number)[];
};

/** By how much the store has to shift its server's clock, instead of by what it does. */
export type ClockStep = { readonly from: number; readonly to: number };

export type ExchangeRequest = {
  readonly instance: string;
  readonly epoch: string;
  /** The name of a new epoch, if one must begin. */
  readonly fresh: string;
  /** Between these the store's time is, as far as this instance knows; both 0 when it does not. */
  readonly estimate: number;
  readonly latest: number;
  /** The clock of the server was set, as this instance knows for sure. */
  readonly step: ClockStep | undefined;
  /** This instance may have sent without the store, since it last told all. */
  readonly wasCut: boolean;
  /** All sends of this instance that may still count are told. */
  readonly isComplete: boolean;
  readonly isLeaving: boolean;
  /** Instances that a rebuilding has to hear. */
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
  /** What the store has when that is not what it was told. */
  readonly state: string | undefined;
  readonly sends: readonly ToldSend[];
  /** A new one, with a whole picture; none for a quota without a limit. */
  readonly lease: Lease | undefined;
};

export type Exchanged =
  | Told
  /** Nothing was told: the store's time is ahead of what the instance knows, or the request came late. */
  | { readonly kind: 'ahead'; readonly shiftMs: number; readonly serverMs: number };

export type Told = {
  readonly kind: 'told';
  readonly epoch: string;
  readonly storeMs: number;
  /** What makes the server's clock the store's time; while it stays, that time runs evenly. */
  readonly shiftMs: number;
  readonly isRebuilding: boolean;
  /** Instances that share, those included that are silent. */
  readonly instances: number;
  readonly quotas: readonly SeenQuota[];
};

export type QuotaServer = {
  isReady(): boolean;
  acquire(request: AcquireRequest): Promise<Acquired>;
  exchange(request: ExchangeRequest): Promise<Exchanged>;
  /** Each time that a connection is there, and each time that it is gone. Replaces the last listener. */
  onConnection(listener: (state: 'ready' | 'lost') => void): void;
  close(): void;
};
