// Taking on a PlayNote: exactly one source, one generation at a time per user, and a row that is never lost.

import { AppError } from '../../base/app-error.ts';
import type { Random } from '../../base/random.ts';
import type { PlayNoteFields } from '../../speech/playnote-request.ts';
import { MAX_DRAWN_SEED } from '../../speech/speech-request.ts';
import type { Work } from '../../storage/works/work.ts';
import type { WorkFiles } from '../../storage/works/work-files.ts';
import type { WorkStore } from '../../storage/works/work-store.ts';
import type { ActiveSlots } from '../active-slots.ts';
import type { AdmitWork } from '../admit-work.ts';
import { findRepeated, type Idempotency, idempotencyConflict, readIdempotency } from '../idempotency.ts';
import { type PlayNoteInput, SOURCE } from './playnote-record.ts';

/** A file that has come in, in the scratch folder of the work that it is for. */
export type Upload = {
  readonly path: string;
  readonly name: string | undefined;
  readonly contentType: string | undefined;
  /** SHA-256 of its bytes. */
  readonly digest: string;
};

export type PlayNoteService = {
  /** An id for a work to come, so that its upload has a place. */
  newId(): string;
  /** Rejects with `active_generation` while one is going on: before an upload is taken, for nothing. */
  checkIdle(owner: string): Promise<void>;
  /** Before the upload of a work to come is written: what a crash leaves of it may go. */
  expectUpload(id: string): Promise<void>;
  /** The upload is not wanted any more. */
  dropUpload(id: string): Promise<void>;
  /**
   * Resolves when the PlayNote cannot be lost any more. Rejects with `invalid_request`, `active_generation` (403, see
   * interface 7), `address_refused`, `storage_full`, `idempotency_conflict`, or with what `AdmitWork` says of this
   * instance; the upload is dropped then. A repeated request is answered with its first work, whose id is another.
   */
  create(
    owner: string,
    wanted: { readonly id: string; readonly fields: PlayNoteFields; readonly upload: Upload | undefined },
    idempotencyKey: string | undefined,
  ): Promise<Work>;
};

export type PlayNoteServiceOptions = {
  readonly store: WorkStore;
  readonly files: WorkFiles;
  readonly slots: ActiveSlots;
  readonly admit: AdmitWork;
  readonly random: Random;
  readonly newId: () => string;
  readonly unixMs: () => number;
  readonly onCreated: (work: Work) => void;
};

const active = () =>
  new AppError('active_generation', 'The user already has an active generation; wait until it has ended.');

export function createPlayNoteService(options: PlayNoteServiceOptions): PlayNoteService {
  const { store, files, slots, admit, random } = options;

  const createRow = async (
    owner: string,
    id: string,
    input: PlayNoteInput,
    idempotency: Idempotency | undefined,
  ) => {
    const created = await store.create({
      id,
      kind: 'playnote',
      owner,
      urgency: 0,
      input,
      requestedAtMs: options.unixMs(),
      idempotency,
      mostUnfinished: 1,
    });
    if (created.kind === 'conflict') throw idempotencyConflict();
    if (created.kind === 'full') throw active();
    return created;
  };

  const dropFiles = async (id: string) => {
    try {
      await files.remove(id);
      await store.disposed([id]);
    } catch {
      // The start finishes it: the records say that these files may go.
    }
  };

  return {
    newId: options.newId,
    async expectUpload(id) {
      admit.checkOpen();
      await store.expect(id);
    },
    dropUpload: dropFiles,
    async checkIdle(owner) {
      const { works } = await store.list(owner, 'playnote', { limit: 1, cursor: undefined });
      const newest = works[0];
      if (newest !== undefined && (newest.status === 'waiting' || newest.status === 'running'))
        throw active();
    },
    async create(owner, { id, fields, upload }, idempotencyKey) {
      let isKept = false;
      let hasSlot = false;
      try {
        if ((upload === undefined) === (fields.sourceFileUrl === undefined))
          throw new AppError('invalid_request', 'Send exactly one of sourceFile and sourceFileUrl.');
        const asked = ['playnote', fields, upload?.digest ?? null];
        const idempotency = readIdempotency(idempotencyKey, asked);
        admit.checkOpen();
        const before = await findRepeated(store, owner, 'playnote', idempotency);
        if (before !== undefined) return before;
        admit.checkAddress('sourceFileUrl', fields.sourceFileUrl);
        admit.checkAddress('webHookUrl', fields.webHookUrl);
        await admit.checkRoom(owner);
        hasSlot = await slots.claim(owner, id);
        // A repeated request finds its own work first, even when another work holds the slot.
        if (!hasSlot && idempotencyKey === undefined) throw active();
        if (upload !== undefined) await files.publish(id, SOURCE, upload.path);
        const input = {
          fields,
          uploadName: upload?.name,
          uploadType: upload?.contentType,
          seed: random.below(MAX_DRAWN_SEED + 1),
        };
        admit.checkOpen();
        const created = await createRow(owner, id, input, idempotency);
        isKept = created.kind === 'created';
        if (isKept && !hasSlot) {
          isKept = false;
          await store.remove(owner, 'playnote', id);
          throw active();
        }
        if (isKept) options.onCreated(created.work);
        return created.work;
      } finally {
        if (!isKept) {
          if (hasSlot) await slots.release(owner, id);
          await dropFiles(id);
        }
      }
    },
  };
}
