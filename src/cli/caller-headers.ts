// The caller that a command is to its gateway: the key and the user of its flags, as headers.

export const callerHeaders = ({
  key,
  user,
}: {
  readonly key?: string | undefined;
  readonly user?: string | undefined;
}): Record<string, string> => ({
  ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  ...(user === undefined ? {} : { 'x-user-id': user }),
});
