// What compose.yaml promises, held against the Dockerfile and the settings that the program has.

/** Images that are not ours, with the programs that their lines here may name. */
const FOREIGN_PROGRAMS = {
  'redis:8-alpine': ['redis-server', 'redis-cli'],
  'haproxy:3.2-alpine': ['wget'],
  'postgres:17-alpine': ['pg_isready'],
  // Its entry point takes the command of `weed`.
  'chrislusf/seaweedfs:4.48': ['mini', 'wget'],
};

const millisecondsOf = (text) => {
  const [, amount, unit] = /^(\d+)(ms|s|m)$/.exec(text) ?? [];
  return Number(amount) * { ms: 1, s: 1000, m: 60_000 }[unit];
};

const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** `base` with an override file laid over it as Compose does: maps are merged, lists joined, the rest replaced. */
export function overlaid(base, override) {
  if (Array.isArray(base) && Array.isArray(override)) return [...base, ...override];
  if (!isMap(base) || !isMap(override)) return override;
  const merged = Object.entries(override).map(([name, value]) => [
    name,
    Object.hasOwn(base, name) ? overlaid(base[name], value) : value,
  ]);
  return { ...base, ...Object.fromEntries(merged) };
}

/**
 * Problems of a parsed file as lines, none when all is well. `images`: `open(stage)`; `variables`: the names of all
 * settings; `file`: what it is called in the lines.
 */
export function checkCompose(
  { services, secrets = {}, volumes = {} },
  { images, variables, file = 'compose.yaml' },
) {
  const problems = [];
  for (const [name, service] of Object.entries(services)) {
    const wrong = (message) => problems.push(`${file}, ${name}: ${message}`);
    if (service.read_only !== true) wrong('its root can be written to');
    if (service.cap_drop?.join() !== 'ALL') wrong('does not drop all capabilities');
    if (!service.security_opt?.includes('no-new-privileges:true')) wrong('may gain privileges');
    if (service.mem_limit === undefined || service.pids_limit === undefined) wrong('has no limits');
    for (const secret of service.secrets ?? [])
      if (secrets[secret]?.file === undefined) wrong(`secret ${secret} is nowhere defined`);
    for (const volume of (service.volumes ?? []).flatMap((each) => /^([\w-]+):/.exec(each)?.[1] ?? []))
      if (!Object.hasOwn(volumes, volume)) wrong(`volume ${volume} is nowhere defined`);
    const { depends_on: waitsFor = [] } = service;
    for (const other of Array.isArray(waitsFor) ? waitsFor : Object.keys(waitsFor))
      if (!Object.hasOwn(services, other)) wrong(`waits for ${other}, which is no service`);
    if (service.build === undefined) checkForeign(service, wrong);
    else checkOurs(service, images.open(service.build.target).config, variables, wrong);
  }
  return problems;
}

function checkForeign({ image, command = [], healthcheck }, wrong) {
  const [kind, program] = healthcheck?.test ?? [];
  const known = FOREIGN_PROGRAMS[image];
  if (known === undefined) wrong(`nobody has looked into the image ${image}`);
  else if (kind !== 'CMD' || !known.includes(program)) wrong('has no health check that its image can run');
  else if (command.length > 0 && !known.includes(command[0])) wrong(`${image} has no ${command[0]}`);
}

function checkOurs(service, config, variables, wrong) {
  if (config.healthcheck === undefined && service.healthcheck === undefined) wrong('has no health check');
  const environment = service.environment ?? {};
  for (const [variable, value] of Object.entries(environment)) {
    if (!variables.has(variable)) wrong(`${variable} is not a setting`);
    const [, secret] = /^\/run\/secrets\/(.+)$/.exec(value) ?? [];
    if (secret !== undefined && !service.secrets?.includes(secret))
      wrong(`${variable} names a secret it is not given`);
  }
  const drainMs = Number(environment.VOXGATE_DRAIN_MS) + Number(environment.VOXGATE_DRAIN_DELAY_MS ?? 0);
  if (!(millisecondsOf(service.stop_grace_period) > drainMs)) wrong('is killed before it has drained');
  for (const port of service.ports ?? [])
    if (!config.ports.includes(Number(port.split(':').at(-1))))
      wrong(`port ${port} is not one that the image exposes`);
  for (const [, path] of (service.volumes ?? []).map((each) => /^[^:]+:([^:]+)/.exec(each)))
    if (!config.volumes.includes(path)) wrong(`${path} is not a volume of the image`);
}
