// Taking on a text-to-speech job: the agent's profile under the caller's fields, a seed, and a row that is never lost.

import { AppError } from '../../base/app-error.ts';
import type { Random } from '../../base/random.ts';
import { type AgentProfile, resolveVoice } from '../../speech/agent-profile.ts';
import { DIALOGUE_FIELDS, IGNORED_GUIDANCE, type JobRequest, TURBO_MODEL } from '../../speech/job-request.ts';
import { MAX_SEED, synthesisOf } from '../../speech/speech-request.ts';
import type { Stored, Work } from '../../storage/work.ts';
import type { WorkStore } from '../../storage/work-store.ts';
import type { AdmitWork } from '../admit-work.ts';
import { idempotencyConflict, readIdempotency } from '../idempotency.ts';
import type { JobInput } from './job-record.ts';

export type JobService = {
  /**
   * Resolves when the job cannot be lost any more. Rejects with `invalid_request` (an agent that is not there),
   * `address_refused`, `storage_full`, `too_many` or `idempotency_conflict`.
   */
  create(owner: string, request: JobRequest, idempotencyKey: string | undefined): Promise<TakenJob>;
};

export type TakenJob = {
  readonly work: Work;
  /** Fields that were taken and have no meaning for what speaks here. */
  readonly ignored: readonly string[];
};

export type JobServiceOptions = {
  readonly store: WorkStore;
  readonly admit: AdmitWork;
  readonly findAgent: (owner: string, id: string) => Promise<AgentProfile | undefined>;
  readonly random: Random;
  readonly newId: () => string;
  readonly unixMs: () => number;
  readonly mostUnfinished: number;
  readonly onCreated: (work: Work) => void;
};

const TURBO_URGENCY = 1;

/** The fields of a profile that shape a job of `model`, those that say something. */
function fieldsOf(profile: AgentProfile, model: JobRequest['model']): Stored {
  const foreign: readonly string[] = model === 'Vox3.0-mini' ? DIALOGUE_FIELDS : [];
  return Object.fromEntries(
    Object.entries(synthesisOf(profile)).filter(
      ([field, value]) => !foreign.includes(field) && value != null,
    ),
  );
}

const withoutNulls = (request: JobRequest): Stored =>
  Object.fromEntries(Object.entries(request).filter(([, value]) => value != null));

export function createJobService(options: JobServiceOptions): JobService {
  const { store, admit, random } = options;

  const toInput = (request: JobRequest, agent: AgentProfile | undefined): JobInput => {
    const fields = {
      ...(agent === undefined ? {} : fieldsOf(agent, request.model)),
      ...withoutNulls(request),
    } as JobRequest;
    const { voice, voice2 } = fields;
    const voices =
      agent === undefined
        ? {}
        : {
            voice: resolveVoice(agent, voice),
            ...(voice2 == null ? {} : { voice2: resolveVoice(agent, voice2) }),
          };
    const shown = {
      ...fields,
      ...voices,
      outputFormat: request.outputFormat ?? 'mp3',
      seed: request.seed ?? random.below(MAX_SEED + 1),
    };
    return agent?.pronunciations == null ? { shown } : { shown, pronunciations: agent.pronunciations };
  };

  return {
    async create(owner, request, idempotencyKey) {
      const idempotency = readIdempotency(idempotencyKey, ['tts', request]);
      admit.checkAddress('webHookUrl', request.webHookUrl);
      const agent = request.agent === undefined ? undefined : await options.findAgent(owner, request.agent);
      if (request.agent !== undefined && agent === undefined)
        throw new AppError('invalid_request', 'agent: there is no agent of this id');
      await admit.checkRoom(owner);
      const created = await store.create({
        id: options.newId(),
        kind: 'tts',
        owner,
        urgency: request.model === TURBO_MODEL ? TURBO_URGENCY : 0,
        input: toInput(request, agent),
        requestedAtMs: options.unixMs(),
        idempotency,
        mostUnfinished: options.mostUnfinished,
      });
      if (created.kind === 'conflict') throw idempotencyConflict();
      if (created.kind === 'full')
        throw new AppError(
          'too_many',
          `A user may have ${options.mostUnfinished} unfinished jobs; wait for some.`,
          {
            retryAfterMs: 10_000,
          },
        );
      if (created.kind === 'created') options.onCreated(created.work);
      return {
        work: created.work,
        ignored: IGNORED_GUIDANCE.filter((field) => (request as Stored)[field] != null),
      };
    },
  };
}
