// Fields that an operator adds to each request, where each vendor has them.
import { describe, expect, it } from 'vitest';
import { createServiceKind } from '../../../src/upstream/services/service-kinds.ts';
import { withOptions } from '../../../src/upstream/services/service-options.ts';

const REQUEST = {
  model: 'VoxDialog',
  text: 'Good morning.',
  voice: 'v',
  speed: 1.1,
  outputFormat: 'mp3',
  seed: 1,
} as const;
const made = (name: Parameters<typeof createServiceKind>[0], options: Record<string, unknown>) => {
  const kind = withOptions(name, createServiceKind(name, { model: undefined }), options);
  const { path, body } = kind.toHttp(REQUEST, { userId: '', apiKey: 'K' }, { format: 'mp3' });
  return { path, body: JSON.parse(body) as Record<string, unknown> };
};

describe('options', () => {
  it('of ElevenLabs are in the query, in the settings of the voice, or in the body', () => {
    const options = { enable_logging: false, stability: 0.4, apply_text_normalization: 'off' };
    const { path, body } = made('elevenlabs', options);
    expect(path).toMatch(/\?output_format=\w+&enable_logging=false$/);
    expect(body).toMatchObject({
      text: 'Good morning.',
      apply_text_normalization: 'off',
      voice_settings: { stability: 0.4, speed: 1.1 },
    });
  });
  it('of Deepgram are in the query', () => {
    expect(made('deepgram', { mip_opt_out: true }).path).toMatch(/&mip_opt_out=true$/);
  });
  it('never replace what the request says itself', () => {
    const { body } = made('openai', { input: 'other words', voice: 'x', instructions: 'calm' });
    expect(body).toMatchObject({ input: 'Good morning.', voice: 'v', instructions: 'calm' });
    expect(made('deepgram', { model: 'x' }).path).toContain('model=v');
  });
  it('are none where none are set', () => {
    const kind = createServiceKind('cartesia', { model: undefined });
    expect(withOptions('cartesia', kind, {})).toBe(kind);
  });
});
