// `voxgate serve`: the gateway until it is told to stop.

import { startGateway } from '../app/start.ts';
import { createPinoLog } from '../base/pino-log.ts';
import { helpersYieldToPlayback } from '../base/processes/yield-to-playback.ts';
import { parseConfig } from '../settings/config.ts';
import { settingsHelp } from '../settings/settings.ts';
import { PUBLIC_ADDRESSES } from '../settings/upstream-settings.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { untilInterrupted } from './until-interrupted.ts';

/** `--upstream KIND[:URL]` as the two settings that it is short for. */
export function longUpstream(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => {
    if (args[at - 1] === '--upstream') return [];
    const given = arg === '--upstream' ? args[at + 1] : /^--upstream=(.*)$/s.exec(arg)?.[1];
    if (given === undefined) return [arg];
    const colon = given.indexOf(':');
    const kind = colon < 0 ? given : given.slice(0, colon);
    return [`--upstream-kind=${kind}`, ...(colon < 0 ? [] : [`--upstream-url=${given.slice(colon + 1)}`])];
  });
}

async function run(terminal: Terminal): Promise<number> {
  const flags = longUpstream(terminal.args);
  const parsed = parseConfig({ env: terminal.env, flags, file: terminal.readFile });
  if (!parsed.ok) throw new UsageError(parsed.problems.join('\n'));
  const { config } = parsed;
  const log = createPinoLog(config.logLevel);
  for (const warning of parsed.warnings) log.warn(warning);

  helpersYieldToPlayback();
  let lose = () => {};
  const lost = new Promise<'lost'>((resolve) => {
    lose = () => resolve('lost');
  });
  const gateway = await startGateway({
    config,
    log,
    version: terminal.version,
    searchPath: terminal.env.PATH,
    onLost: lose,
  });
  const say = gateway.sessionUrl;
  terminal.print(`Voxgate ${terminal.version} is listening at ${gateway.url}`);
  if (gateway.playgroundUrl !== undefined) terminal.print(`  playground ${gateway.playgroundUrl}`);
  terminal.print(`  sessions   ${say}`);
  terminal.print(`  service    ${gateway.url}/api/v1 (${gateway.url}/openapi.json tells it)`);
  terminal.print(
    `  engine     ${gateway.engineUrl ?? `${config.upstreamUrl ?? PUBLIC_ADDRESSES[config.upstreamKind]} (${config.upstreamKind === 'speech-service' ? 'remote' : config.upstreamKind})`}`,
  );
  if (gateway.adminUrl !== undefined) terminal.print(`  operator   ${gateway.adminUrl}`);
  terminal.print(
    `  try        ${terminal.programName} say "Hello from Voxgate." --url ${say} --out hello.wav`,
  );
  log.info('listening', { url: gateway.url });

  const why = await Promise.race([untilInterrupted(terminal.interrupted), lost]);
  log.info('stopping', { drainMs: config.drainMs });
  await gateway.stop(config.drainMs);
  log.info('stopped');
  if (why !== 'lost') return 0;
  terminal.complain(
    `another instance has taken the data folder ${config.dataDir}, so this one has stopped; each instance needs a folder of its own`,
  );
  return 1;
}

export const serve: Command = {
  help: () =>
    `Usage: voxgate serve [--config FILE] [--upstream KIND[:URL]] [--SETTING VALUE …]\n\n${settingsHelp()}`,
  run,
};
