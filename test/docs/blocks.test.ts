// Every code block of every page is checked: the word behind its language says how. What is not run is read here, by the
// parser that would read it or by as much of one as is needed to see what is wrong. CONTRIBUTING.md has the table for people.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { checkCompose, overlaid } from '../../scripts/check-compose.mjs';
import { parseDockerfile } from '../../scripts/dockerfile.mjs';
import { COMMANDS } from '../../src/cli/commands.ts';
import { serverEventSchemas } from '../../src/dialects/native-events.ts';
import { clientMessageSchemas } from '../../src/dialects/native-messages.ts';
import { readPreset } from '../../src/dialects/session-preset.ts';
import { LEGS } from '../../src/legs/legs.ts';
import { SETTINGS, toEnv } from '../../src/settings/settings.ts';
import { readXml } from '../../testkit/callers/small-xml.ts';
import { isMissing } from '../support/missing-programs.ts';
import { blocksBy, blocksOf, PAGES, type PageBlock, ROOT, readPage } from '../support/page-blocks.ts';
import { accepted, refused } from '../support/settings.ts';
import { argumentsOf, checkShell, commandsOf } from '../support/shell-words.ts';

const VARIABLES = new Set(Object.keys(SETTINGS).map(toEnv));
const KEYS = 'me:secret';
/** A value that stands for any. */
const filled = (text: string) => text.replaceAll('…', 'anna');

// --- figures, messages, addresses

const SOURCES = new Set(
  readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).map((name) =>
    name.replace(/^.*\//, '').replace(/\.\w+$/, ''),
  ),
);

/** A figure names files of the source by their names in kebab case. */
function checkFigure({ text }: PageBlock): void {
  for (const [name] of text.matchAll(/\b[a-z0-9]+(?:-[a-z0-9]+)+\b/g)) expect(SOURCES).toContain(name);
}

const MESSAGE_TYPES = new Set([...Object.keys(clientMessageSchemas), ...Object.keys(serverEventSchemas)]);

/** JSON lines are messages that the gateway takes; a figure has their types. */
function checkMessages({ language, text }: PageBlock): void {
  if (language === 'text') {
    for (const [word] of text.matchAll(/[a-z]+/g)) expect(MESSAGE_TYPES).toContain(word);
    return;
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  for (const line of lines) {
    const json = language === 'jsonc' ? line.replace(/\s+\/\/.*$/, '') : line;
    const message = JSON.parse(json) as { type: keyof typeof clientMessageSchemas };
    expect(Object.keys(clientMessageSchemas)).toContain(message.type);
    expect(clientMessageSchemas[message.type].safeParse(message).error?.issues, json).toBeUndefined();
  }
}

function checkAddress({ text }: PageBlock): void {
  const { protocol, pathname, search } = new URL(filled(text));
  expect([protocol, pathname]).toEqual(['ws:', '/v1/session']);
  readPreset(new URLSearchParams(search));
}

// --- settings

/** `VOXGATE_X=value … command --flag value`: variables and flags are taken together with the file that the page has. */
function checkSettings({ page, language, text }: PageBlock): void {
  const yamlOf = () => blocksBy(page, 'settings').find((block) => block.language === 'yaml')?.text ?? '';
  const files = { 'voxgate.yaml': '', '/run/secrets/voxgate-keys': KEYS };
  if (language === 'yaml') {
    accepted({ flags: ['--config', 'voxgate.yaml'], files: { ...files, 'voxgate.yaml': text } });
    return;
  }
  for (const words of commandsOf(filled(text))) {
    const env: Record<string, string> = {};
    for (const word of words) {
      const [, name, value = ''] = /^(VOXGATE_\w+)=(.*)$/.exec(word) ?? [];
      if (name !== undefined) env[name] = value.replace(/^'(.*)'$/, '$1');
    }
    const flags = words.slice(words.indexOf('serve') + 1);
    const isServe = words.includes('serve');
    accepted({
      env,
      flags: isServe ? flags : [],
      files: isServe ? { ...files, 'voxgate.yaml': yamlOf() } : files,
    });
  }
}

/** Each line is what is said of the setting that it begins with. */
function checkRefusals({ text }: PageBlock): void {
  for (const line of text.split('\n')) {
    const [, flag, value] = /^(--[a-z-]+) is (\S+);/.exec(line) ?? [];
    const [, variable] = /^(VOXGATE_\w+) is not a setting/.exec(line) ?? [];
    const sources = flag === undefined ? { env: { [variable!]: '1' } } : { flags: [flag, value!] };
    expect(refused(sources)).toEqual([line]);
  }
}

// --- commands that a test cannot run: whole suites, containers

const { scripts } = JSON.parse(readPage('package.json')) as { scripts: Record<string, string> };
const stages = parseDockerfile(readPage('Dockerfile'));
/** Of coreutils and the like, or a program of the reader's own. */
const PLAIN = new Set(['cat', 'chmod', 'curl', 'docker', 'echo', 'export', 'ffplay', 'mkdir', 'sh']);

async function checkFlags(name: string, words: readonly string[]): Promise<void> {
  expect(Object.keys(COMMANDS)).toContain(name);
  // The benchmarks are loaded from where they were built.
  const help =
    name === 'bench'
      ? (await import('../../bench/bench-command.ts')).bench.help()
      : (await COMMANDS[name]!.load()).help();
  for (const word of words.filter((each) => each.startsWith('--')))
    expect(help).toContain(word.replace(/=.*/, ''));
  if (name === 'bench' && words[0] !== 'all') expect(help).toContain(words[0]);
}

function checkDocker(words: readonly string[]): void {
  words.forEach((word, at) => {
    if (word === '--target') expect(stages.map(({ name }) => name)).toContain(words[at + 1]);
    const [, variable] = word === '-e' ? /^(VOXGATE_\w+)=/.exec(words[at + 1]!)! : [];
    if (variable !== undefined) expect(VARIABLES).toContain(variable);
  });
}

async function checkCommands({ text }: PageBlock): Promise<void> {
  checkShell(text);
  for (const all of commandsOf(text)) {
    const at = all.findIndex((word) => !/^[A-Z_]+=/.test(word));
    const [program, ...words] = all.slice(at);
    if (program === 'npm') {
      const [verb, name] = words;
      if (verb === 'run') expect(Object.keys(scripts)).toContain(name);
      else expect(['ci', 'start', 'test']).toContain(verb);
    } else if (program === 'npx') expect(existsSync(join(ROOT, 'node_modules/.bin', words[0]!))).toBe(true);
    else if (program === 'node' && words[0] === 'dist/main.js') await checkFlags(words[1]!, words.slice(2));
    else if (program === 'voxgate') await checkFlags(words[0]!, words.slice(1));
    else if (program === 'docker') checkDocker(words);
    else expect(PLAIN).toContain(program);
    for (const file of words.filter((word) => /^(test|deploy)\//.test(word)))
      expect(existsSync(join(ROOT, file))).toBe(true);
  }
}

// --- files of other programs

function checkComposeFile({ text }: PageBlock): void {
  const images = {
    open(target: string) {
      expect(stages.map(({ name }) => name)).toContain(target);
      return { config: { healthcheck: ['CMD'], ports: [8080], volumes: ['/data'] } };
    },
  };
  const file = parseYaml(readPage('compose.yaml'), { merge: true }) as unknown;
  const override = parseYaml(text) as unknown;
  expect(checkCompose(overlaid(file, override), { images, variables: VARIABLES })).toEqual([]);
}

/** A list of probes, each of a path and a port that the image serves. */
function checkKubernetes({ text }: PageBlock): void {
  type Probe = { httpGet: { path: string; port: number } };
  const { securityContext, livenessProbe, readinessProbe, resources, ...more } = parseYaml(text) as {
    securityContext: object;
    livenessProbe: Probe;
    readinessProbe: Probe;
    resources: object;
  };
  expect(more).toEqual({});
  expect(securityContext).toMatchObject({ runAsNonRoot: true, readOnlyRootFilesystem: true });
  expect(livenessProbe.httpGet).toEqual({ path: '/livez', port: 8080 });
  expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 8080 });
  expect(resources).toHaveProperty('limits.memory');
}

const NGINX_NEEDS = [
  'proxy_pass http://127.0.0.1:8080;',
  'proxy_http_version 1.1;',
  'proxy_set_header Upgrade $http_upgrade;',
  'proxy_set_header Connection upgrade;',
  'proxy_buffering off;',
];

/** What a WebSocket needs of nginx, in one location; nginx's own parser where it is there. */
function checkNginx({ text }: PageBlock): void {
  const [location, ...rest] = text.split('\n');
  expect([location, rest.at(-1)]).toEqual(['location / {', '}']);
  const directives = rest.slice(0, -1).map((line) => line.trim());
  for (const directive of directives) expect(directive).toMatch(/^proxy_[a-z_]+ [^;{}]+;$/);
  expect(directives).toEqual(expect.arrayContaining(NGINX_NEEDS));
  const [, seconds] = /^proxy_read_timeout (\d+)s;$/m.exec(directives.join('\n'))!;
  expect(Number(seconds) * 1000).toBeGreaterThan(SETTINGS.heartbeatMs.default);
  const folder = mkdtempSync(join(tmpdir(), 'voxgate-nginx-'));
  const whole = `pid ${folder}/pid;\nevents {}\nhttp { access_log off; server { listen 127.0.0.1:1; ${text} } }\n`;
  writeFileSync(join(folder, 'nginx.conf'), whole);
  try {
    const args = ['-t', '-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')];
    execFileSync('nginx', args, { stdio: 'pipe' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Caddy's own parser where it is there; a site with its address and directives in braces in any case. */
function checkCaddyfile({ text }: PageBlock): void {
  const [site, ...rest] = text.split('\n');
  expect(site).toMatch(/^[a-z0-9.-]+ \{$/);
  expect(rest.at(-1)).toBe('}');
  for (const line of rest.slice(0, -1)) expect(line).toMatch(/^ {2}reverse_proxy [\w.]+:\d+$/);
  try {
    execFileSync('caddy', ['adapt', '--adapter', 'caddyfile', '--config', '-'], {
      input: text,
      stdio: 'pipe',
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

const DIALPLAN_APPLICATIONS = [
  'Answer',
  'AudioSocket',
  'Dial',
  'ExecIf',
  'Hangup',
  'Return',
  'Set',
  'System',
];
/** Of res_websocket_client (websocket_client.conf) and http.conf. */
const ASTERISK_OPTIONS = ['type', 'uri', 'protocols', 'connection_type', 'tls_enabled'];

/** Sections, comments, options, and extensions whose applications are called with balanced brackets. */
function checkAsterisk({ text }: PageBlock): void {
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '' || line.startsWith(';') || /^\[[\w-]+\]$/.test(line)) continue;
    const [, rest] = /^(?:exten => \w+,1|same => n),(.*)$/.exec(line) ?? [];
    if (rest === undefined) {
      const [, option] = /^(\w+) = \S.*$/.exec(line) ?? [];
      expect(ASTERISK_OPTIONS, line).toContain(option);
      continue;
    }
    const [, application, inside] = /^(\w+)\((.*)\)$/.exec(rest) ?? [];
    expect(DIALPLAN_APPLICATIONS, line).toContain(application);
    let depth = 0;
    for (const sign of inside!) {
      depth += '([{'.includes(sign) ? 1 : ')]}'.includes(sign) ? -1 : 0;
      expect(depth, line).toBeGreaterThanOrEqual(0);
    }
    expect(depth, line).toBe(0);
  }
  expectLegAddresses(text, { atLeast: 0 });
}

function expectLegAddresses(text: string, { atLeast }: { atLeast: number }): void {
  const addresses = text.match(/wss:\/\/[^\s"<>]+/g) ?? [];
  expect(addresses.length).toBeGreaterThanOrEqual(atLeast);
  for (const address of addresses) {
    const [, kind] = /^\/v1\/legs\/([a-z-]+)(?:\/ATTACH_TOKEN)?$/.exec(new URL(address).pathname) ?? [];
    expect(
      LEGS.map((leg) => leg.kind),
      address,
    ).toContain(kind);
  }
}

/** What tells a platform where to stream to: JSON or XML. */
function checkLegAddress({ language, text }: PageBlock): void {
  if (language === 'json') JSON.parse(text);
  else readXml(text);
  expectLegAddresses(text, { atLeast: 1 });
}

/** Calls of curl to servers that are not there: address, and a body that is JSON. */
function checkRequests({ text }: PageBlock): void {
  const calls = argumentsOf('curl', text, { CALL_CONTROL_ID: 'v3:1', TELNYX_API_KEY: 'key' });
  expect(calls.length).toBeGreaterThan(0);
  for (const words of calls) {
    expect(URL.canParse(words.find((word) => word.startsWith('https:'))!)).toBe(true);
    const body = words[words.indexOf('-d') + 1]!;
    JSON.parse(body);
    expect(words).toContain('Content-Type: application/json');
    expectLegAddresses(body, { atLeast: 1 });
  }
}

// --- programs

/** The embedded speech program itself gets the line, and speaks it. */
async function checkSpeechLine({ text }: PageBlock): Promise<void> {
  const program = spawn(process.execPath, [join(ROOT, 'src/engine/espeak-entry.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  program.stdin.end(`${text}\n`);
  const parts: Buffer[] = [];
  for await (const part of program.stdout) parts.push(part as Buffer);
  const frames: string[] = [];
  for (let bytes = Buffer.concat(parts); bytes.length > 0; bytes = bytes.subarray(9 + bytes.readUInt32LE(5)))
    frames.push(`${String.fromCharCode(bytes[0]!)}${bytes.readUInt32LE(1)}`);
  const { id } = JSON.parse(text) as { id: number };
  expect([frames[0], new Set(frames.slice(1, -1)), frames.at(-1)]).toEqual([
    'R0',
    new Set([`A${id}`]),
    `D${id}`,
  ]);
}

/** Plug-ins of frameworks that are no packages here: their language's own parser. */
function checkSyntax({ language, text }: PageBlock): void {
  if (language === 'ts') new Script(text);
  else if (!isMissing('python3-websockets'))
    execFileSync('/usr/bin/python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
      input: text,
      stdio: 'pipe',
    });
}

const READ: Readonly<Record<string, (block: PageBlock) => void | Promise<void>>> = {
  figure: checkFigure,
  messages: checkMessages,
  address: checkAddress,
  settings: checkSettings,
  refusals: checkRefusals,
  commands: checkCommands,
  compose: checkComposeFile,
  kubernetes: checkKubernetes,
  nginx: checkNginx,
  caddy: checkCaddyfile,
  asterisk: checkAsterisk,
  'leg-address': checkLegAddress,
  requests: checkRequests,
  'speech-line': checkSpeechLine,
  syntax: checkSyntax,
};
/** By no parser that would carry it out; people are told where. */
const ONLY_READ = new Set(
  'figure commands requests leg-address asterisk kubernetes nginx caddy syntax'.split(' '),
);
/** Run by a test that takes all blocks of this kind. */
const RUN: Readonly<Record<string, string>> = { run: 'test/docs/run.test.ts' };

const all = PAGES.flatMap(blocksOf);
const told = ({ page, line }: PageBlock) => `${page}:${line}`;

describe('code blocks', () => {
  it('are found', () => {
    expect(all.length).toBeGreaterThan(70);
  });

  it.each(all.map((block) => [told(block), block] as const))('%s is checked', async (_name, block) => {
    const { page, check } = block;
    const read = READ[check];
    if (read !== undefined) return await read(block);
    // A test of its own names the page whose blocks it takes.
    const file = RUN[check] ?? check;
    expect(file, `how it is checked: ${Object.keys({ ...READ, ...RUN }).join(', ')}, or a test file`).toMatch(
      /^test\/.*\.test\.ts$/,
    );
    expect(existsSync(join(ROOT, file)), file).toBe(true);
    const named = readFileSync(join(ROOT, file), 'utf8').includes(basename(page));
    expect(named, `${file} names ${basename(page)}`).toBe(true);
  });

  it('that are only read are listed for people, in CONTRIBUTING.md', () => {
    const rows = [...readPage('CONTRIBUTING.md').matchAll(/^\| `([a-z-]+)` \| .* \|(.*) \|$/gm)];
    const pagesOf = new Map(rows.map(([, kind, pages]) => [kind!, pages!]));
    expect(new Set(pagesOf.keys())).toEqual(new Set([...Object.keys(READ), ...Object.keys(RUN)]));
    for (const kind of pagesOf.keys()) {
      const pages = new Set(
        all.filter(({ check }) => check === kind && ONLY_READ.has(kind)).map(({ page }) => page),
      );
      const links = [...pagesOf.get(kind)!.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!);
      expect(new Set(links), kind).toEqual(pages);
    }
  });
});
