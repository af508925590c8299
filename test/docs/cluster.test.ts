// deploy/: three gateways on PostgreSQL, S3 and Redis behind HAProxy. The files are held against each other, against the
// settings that the program has, and against HAProxy's own reader.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { checkCompose } from '../../scripts/check-compose.mjs';
import { SETTINGS, toEnv } from '../../src/settings/settings.ts';
import { isMissing } from '../support/missing-programs.ts';
import { ROOT, readPage } from '../support/page-blocks.ts';
import { accepted } from '../support/settings.ts';

const FILE = 'deploy/compose-cluster.yaml';
type Service = {
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly healthcheck?: { readonly interval: string };
};
const compose = parseYaml(readPage(FILE), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
};
const gateways = Object.entries(compose.services).filter(([name]) => name.startsWith('voxgate-'));
const haproxy = readPage('deploy/haproxy.cfg');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'voxgate-cluster-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the cluster of deploy/', () => {
  it('has settings, secrets, volumes, limits and health checks that are there', () => {
    const image = { config: { healthcheck: ['CMD'], ports: [8080], volumes: ['/data'] } };
    const variables = new Set(Object.keys(SETTINGS).map(toEnv));
    expect(checkCompose(compose, { images: { open: () => image }, variables, file: FILE })).toEqual([]);
  });

  it('makes secrets that each gateway takes, once', () => {
    const make = () => execFileSync('sh', [join(ROOT, 'deploy/make-secrets.sh')], { cwd: folder });
    const made = () =>
      Object.fromEntries(
        readdirSync(join(folder, 'secrets')).map((name) => [
          name,
          readFileSync(join(folder, 'secrets', name), 'utf8'),
        ]),
      );
    make();
    const first = made();
    make();
    expect(made()).toEqual(first);
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    const wanted = Object.values(compose.secrets).map(({ file }) => file.replace('../secrets/', ''));
    expect(Object.keys(first).sort()).toEqual([...wanted, 's3.env'].sort());
    const files = Object.fromEntries(
      Object.entries(first).map(([name, text]) => [`/run/secrets/${name}`, text]),
    );
    expect(gateways).toHaveLength(3);
    for (const [name, { environment = {} }] of gateways) {
      const env = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, `${value}`]));
      const { config, warnings } = accepted({ env, files });
      expect(warnings).toEqual([]);
      expect(config).toMatchObject({ peerUrl: `http://${name}:8090`, peerPort: 8090 });
      expect(config.databaseUrl).toContain(first['database-password']!.trim());
    }
  });

  it('gives HAProxy the time to notice an instance that stops', () => {
    const [, everyS, times] = /check inter (\d+)s fall (\d+)/.exec(haproxy)!;
    for (const [, { environment = {} }] of gateways)
      expect(Number(environment.VOXGATE_DRAIN_DELAY_MS)).toBeGreaterThan(
        1000 * Number(everyS) * Number(times),
      );
    expect(haproxy.match(/^ +server (\S+) \1:8080$/gm)).toHaveLength(gateways.length);
    for (const [name] of gateways) expect(haproxy).toContain(`server ${name} ${name}:8080`);
  });

  it.skipIf(isMissing('haproxy'))('is read by HAProxy without a warning', () => {
    const file = join(folder, 'haproxy.cfg');
    copyFileSync(join(ROOT, 'deploy/haproxy.cfg'), file);
    // Debian keeps it out of the PATH of users who are not root.
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
    const said = execFileSync('sh', ['-c', 'exec haproxy -c -V -f "$0" 2>&1', file], {
      env,
      encoding: 'utf8',
    });
    expect(said).not.toMatch(/warning|alert/i);
    expect(said).toContain('valid');
  });
});
