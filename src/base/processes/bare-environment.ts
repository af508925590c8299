// The environment of programs that we start: what any program needs, and none of our settings, so no key.

const INHERITED = ['PATH', 'SystemRoot', 'LANG', 'TMPDIR', 'TEMP'];

export const bareEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(INHERITED.map((name) => [name, process.env[name]]));
