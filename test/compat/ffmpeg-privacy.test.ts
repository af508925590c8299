// What ffmpeg is told of us: nothing but files and numbers. A file of its own, because the package keeps what it has
// once asked ffmpeg.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { AudioFinisher } from '../../src/service/audio-finisher.ts';
import { createProcessFfmpegFinisher } from '../../src/service/finishing/process-ffmpeg-finisher.ts';
import { probeFfmpeg } from '../../src/service/finishing/process-ffmpeg-probe.ts';
import { createSpokenParts } from '../support/spoken-parts.ts';

const spoken = createSpokenParts();
const env = { PATH: process.env.PATH };
const program = join(spoken.folder, 'ffmpeg-that-tells');
const heard = join(spoken.folder, 'heard');
const otherwise: AudioFinisher = {
  finish: () => Promise.reject(new Error('ffmpeg was to do this')),
  async close() {},
};
let finisher: AudioFinisher;
beforeAll(async () => {
  vi.stubEnv('VOXGATE_CANARY', 'canary-key');
  const tells = `#!/bin/sh\n{ env; printf '%s\\n' "$@"; } >> ${heard}\nexec ffmpeg "$@"\n`;
  writeFileSync(program, tells, { mode: 0o755 });
  const build = (await probeFfmpeg({ path: program, env }))!;
  finisher = createProcessFfmpegFinisher({ build, otherwise, clock: systemClock, log: silentLog, env });
});
afterAll(() => {
  vi.unstubAllEnvs();
  spoken.remove();
});

it('neither what is spoken nor our environment is in the arguments or the environment of another program', async () => {
  const title = 'canary-title; #1 = "a\\b"';
  const request = spoken.request({ parts: [spoken.part('quiet', 0.1)], title, artist: 'canary-artist' });
  await finisher.finish(request, () => {}, new AbortController().signal);
  const { tags } = JSON.parse(
    execFileSync('ffprobe', ['-v', 'error', '-of', 'json', '-show_format', request.outPath]).toString(),
  ).format as { tags: Record<string, string> };
  expect(tags).toMatchObject({ title, artist: 'canary-artist' });
  expect(readFileSync(heard, 'utf8')).toContain('-filters');
  expect(readFileSync(heard, 'utf8')).toContain('libmp3lame');
  expect(readFileSync(heard, 'utf8')).not.toContain('canary');
  expect(readdirSync(spoken.folder).filter((name) => name.startsWith('out'))).toEqual(['out.mp3']);
});
