// Taking on a text-to-speech job: the agent's profile under the caller's fields, a seed, and a row that is never lost.

import { AppError } from '../../base/app-error.ts';
import { checkFields, fieldError } from '../../base/check-fields.ts';
import type { Random } from '../../base/random.ts';
import type { AgentProfile } from '../../speech/agent-profile.ts';
import {
  ignoredFieldsOf,
  type JobRequest,
  jobRequestSchema,
  SECOND_VOICE_FIELDS,
  TURBO_MODEL,
  turboRequestSchema,
} from '../../speech/job-request.ts';
import { MAX_DRAWN_SEED, synthesisOf } from '../../speech/speech-request.ts';
import { wishesOf } from '../../speech/upstream-names.ts';
import { resolveVoices, type VoiceAliases } from '../../speech/voice-aliases.ts';
import type { Stored, Work } from '../../storage/works/work.ts';
import type { WorkStore } from '../../storage/works/work-store.ts';
import type { AdmitWork } from '../admit-work.ts';
import { findRepeated, idempotencyConflict, readIdempotency } from '../idempotency.ts';
import type { VoiceDirectory } from '../voice-directory.ts';
import type { JobInput } from './job-record.ts';

export type JobService = {
  /**
   * Resolves when the job cannot be lost any more. Rejects with `invalid_request` (an agent that is not there, or whose
   * fields this job could not have itself),
   * `address_refused`, `storage_full`, `too_many`, `idempotency_conflict`, or with what `AdmitWork` says of this instance.
   */
  create(
    owner: string,
    request: JobRequest,
    idempotencyKey: string | undefined,
    /** Its names hold for the request and the agent alike; throws for voices that are not there. */
    voices: Pick<VoiceDirectory, 'aliases' | 'check'>,
  ): Promise<TakenJob>;
};

export type TakenJob = {
  readonly work: Work;
  /** False: the same request with the same key has made it before. */
  readonly isNew: boolean;
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
  const foreign: readonly string[] = model === 'Vox3.0-mini' ? ['voice2', ...SECOND_VOICE_FIELDS] : [];
  return Object.fromEntries(
    Object.entries(synthesisOf(profile)).filter(
      ([field, value]) => !foreign.includes(field) && value != null,
    ),
  );
}

const withoutNulls = (request: JobRequest): Stored =>
  Object.fromEntries(Object.entries(request).filter(([, value]) => value != null));

/**
 * What an agent or a name for two voices has filled in is checked as if the caller had sent it: a profile was stored for any
 * model.
 */
function checkInput({ shown, wishes }: JobInput, voices: Pick<VoiceDirectory, 'check'>, owner: string): void {
  const { voice, voice2, model } = shown as JobRequest;
  checkFields<JobRequest>(model === TURBO_MODEL ? turboRequestSchema : jobRequestSchema, shown, 'body');
  voices.check({ voice, voice2 }, { tenant: owner, upstream: wishes?.upstream ?? [] });
}

export function createJobService(options: JobServiceOptions): JobService {
  const { store, admit, random } = options;

  const toInput = (
    request: JobRequest,
    agent: AgentProfile | undefined,
    gatewayAliases: VoiceAliases,
  ): JobInput => {
    const fields = {
      ...(agent === undefined ? {} : fieldsOf(agent, request.model)),
      ...withoutNulls(request),
    } as JobRequest;
    const { voice, voice2, turnPrefix, turnPrefix2 } = fields;
    const shown = {
      ...fields,
      ...resolveVoices({ ...gatewayAliases, ...agent?.aliases }, { voice, voice2, turnPrefix, turnPrefix2 }),
      outputFormat: request.outputFormat ?? 'mp3',
      seed: request.seed ?? random.below(MAX_DRAWN_SEED + 1),
    };
    return {
      shown,
      ...(agent?.pronunciations == null ? {} : { pronunciations: agent.pronunciations }),
      wishes: { ...wishesOf(agent ?? {}), ...wishesOf(request) },
    };
  };

  return {
    async create(owner, request, idempotencyKey, voices) {
      const idempotency = readIdempotency(idempotencyKey, ['tts', request]);
      const ignored = ignoredFieldsOf(request);
      admit.checkOpen();
      const before = await findRepeated(store, owner, 'tts', idempotency);
      if (before !== undefined) return { work: before, isNew: false, ignored };
      admit.checkAddress('webHookUrl', request.webHookUrl);
      const agent = request.agent === undefined ? undefined : await options.findAgent(owner, request.agent);
      if (request.agent !== undefined && agent === undefined)
        throw fieldError({
          field: 'agent',
          allowed: 'there is no agent of this id',
          name: request.agent,
          todo: 'POST /api/v1/agents makes one and tells its id',
        });
      const input = toInput(request, agent, voices.aliases);
      checkInput(input, voices, owner);
      await admit.checkRoom(owner);
      admit.checkOpen();
      const created = await store.create({
        id: options.newId(),
        kind: 'tts',
        owner,
        urgency: request.model === TURBO_MODEL ? TURBO_URGENCY : 0,
        input,
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
      return { work: created.work, isNew: created.kind === 'created', ignored };
    },
  };
}
