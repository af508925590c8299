// In which order a request for a work is judged: what it has made before comes before anything that may refuse it now, and
// what an agent fills in is judged like what the caller sends.

import { describe, expect, it } from 'vitest';
import { AppError, aboutToStop } from '../../src/base/app-error.ts';
import { soleInstance } from '../../src/service/active-slots.ts';
import type { AdmitWork } from '../../src/service/admit-work.ts';
import { createJobService } from '../../src/service/jobs/job-service.ts';
import { createPlayNoteService } from '../../src/service/playnotes/playnote-service.ts';
import type { AgentProfile } from '../../src/speech/agent-profile.ts';
import type { JobRequest } from '../../src/speech/job-request.ts';
import type { PlayNoteFields } from '../../src/speech/playnote-request.ts';
import type { WorkFiles } from '../../src/storage/works/work-files.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { createMemoryDeliveryStore } from '../support/memory-delivery-store.ts';
import { createMemoryWorkStore } from '../support/memory-work-store.ts';
import { createKnownVoices } from '../support/voice-directories.ts';

const VOICES = createKnownVoices(
  ['voice://a', 'voice://b'].map((id) => ({ id, name: id, language: 'english' }) as never),
  {
    aliases: { ann: 'voice://a', both: 'voice://a+voice://b' },
    ignoredFields: [],
    spokenAs: () => undefined,
  },
);
const JOB = { model: 'VoxDialog', text: 'Hello.', voice: 'voice://a' } as JobRequest;
const NOTE = {
  sourceFileUrl: 'https://source.example/a.pdf',
  synthesisStyle: 'podcast',
  voice1: 'voice://a',
  voice1Name: 'Ann',
} as unknown as PlayNoteFields;

function open(agent?: AgentProfile) {
  const store = createMemoryWorkStore(createMemoryDeliveryStore());
  let ids = 0;
  let refusal: AppError | undefined;
  let isStopping = false;
  const admit: AdmitWork = {
    checkOpen() {
      if (isStopping) throw aboutToStop();
    },
    async checkRoom() {
      if (refusal !== undefined) throw refusal;
    },
    checkAddress() {},
  };
  const taking = {
    store,
    admit,
    random: fixedRandom(0.5),
    newId: () => `id-${++ids}`,
    unixMs: () => 1,
    onCreated() {},
  };
  const jobs = createJobService({ ...taking, findAgent: async () => agent, mostUnfinished: 10 });
  const files = { remove: async () => {} } as unknown as WorkFiles;
  const notes = createPlayNoteService({ ...taking, files, slots: soleInstance });
  return {
    job: (request: JobRequest, key?: string) => jobs.create('ann', request, key, VOICES),
    note: (fields: PlayNoteFields, key?: string) =>
      notes.create('ann', { id: taking.newId(), fields, upload: undefined }, key),
    stop: () => {
      isStopping = true;
    },
    fill: () => {
      refusal = new AppError('storage_full', 'Full.');
    },
  };
}
const refusal = (code: string, message?: RegExp) => ({
  code,
  ...(message === undefined ? {} : { message: expect.stringMatching(message) as string }),
});

describe('a repeated request', () => {
  it('for a job is answered with the first one when there is no room any more', async () => {
    const { job, fill } = open();
    const first = await job(JOB, 'key');
    fill();
    expect((await job(JOB, 'key')).work.id).toBe(first.work.id);
    await expect(job({ ...JOB, text: 'Other.' }, 'key')).rejects.toMatchObject(
      refusal('idempotency_conflict'),
    );
    await expect(job(JOB, 'new')).rejects.toMatchObject(refusal('storage_full'));
    await expect(job(JOB)).rejects.toMatchObject(refusal('storage_full'));
  });

  it('for a PlayNote, too', async () => {
    const { note, fill } = open();
    const first = await note(NOTE, 'key');
    fill();
    expect((await note(NOTE, 'key')).id).toBe(first.id);
    await expect(note({ ...NOTE, voice1Name: 'Bob' }, 'key')).rejects.toMatchObject(
      refusal('idempotency_conflict'),
    );
    await expect(note(NOTE, 'new')).rejects.toMatchObject(refusal('storage_full'));
  });
});

describe('a job with an agent', () => {
  const withAgent = (profile: Partial<AgentProfile>, fields: Partial<JobRequest> = {}) =>
    open({ name: 'Host', ...profile }).job({ ...JOB, agent: 'agent-1', ...fields } as JobRequest);

  it('may not have voices from it that are not there', async () => {
    await expect(withAgent({ voice2: 'voice://gone' })).rejects.toMatchObject(
      refusal('invalid_request', /^voice2: there is no such voice here \(got "voice:\/\/gone"\)/),
    );
    await expect(withAgent({ aliases: { boss: 'voice://gone' } }, { voice: 'boss' })).rejects.toMatchObject(
      refusal('invalid_request', /^voice: /),
    );
  });

  it('may not have names for voices that the agent does not know either', async () => {
    await expect(withAgent({}, { voice: 'boss' })).rejects.toMatchObject(
      refusal('invalid_request', /^voice: /),
    );
  });

  it('knows the names of the gateway and of the agent, the agent’s first, and two voices by one name', async () => {
    const { work } = await withAgent({}, { voice: 'ann' });
    expect(work.input).toMatchObject({ shown: { voice: 'voice://a' } });
    const own = await withAgent({ aliases: { ann: 'voice://b' } }, { voice: 'ann' });
    expect(own.work.input).toMatchObject({ shown: { voice: 'voice://b' } });
    const both = await withAgent({}, { voice: 'both' });
    expect(both.work.input).toMatchObject({
      shown: { voice: 'voice://a', voice2: 'voice://b', turnPrefix: '[S1]' },
    });
    await expect(withAgent({}, { voice: 'both', model: 'Vox3.0-mini' })).rejects.toMatchObject(
      refusal('invalid_request', /^voice2: is for VoxDialog only/),
    );
  });

  it('has them when they are there, and leaves out those of dialogue where nobody answers', async () => {
    const { work } = await withAgent({ voice2: 'guest', aliases: { guest: 'voice://b' } });
    expect(work.input).toMatchObject({ shown: { voice: 'voice://a', voice2: 'voice://b' } });
    const alone = await withAgent({ voice2: 'voice://gone' }, { model: 'Vox3.0-mini' });
    expect(alone.work.input).not.toMatchObject({ shown: { voice2: expect.anything() as unknown } });
  });

  it('is refused where the fields of both do not go together', async () => {
    const turnPrefix = 'A:';
    await expect(
      withAgent({ voice2: 'voice://b' }, { turnPrefix, turnPrefix2: turnPrefix }),
    ).rejects.toMatchObject(refusal('invalid_request', /turnPrefix/));
  });
});
