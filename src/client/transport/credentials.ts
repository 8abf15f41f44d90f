import type { ClientOptions } from "../options.js";

type Ask = NonNullable<ClientOptions["auth"]>;

/** What `auth` answered, and how often it had been renewed by then. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly renewals: number;
}

/** Asks `auth`: calls at the same time share one answer, and a 401 that belongs to an older answer asks for no other renewal. */
export function credentialsOf(ask: Ask) {
  const running = new Map<boolean, Promise<Credentials>>();
  let renewals = 0;
  const shared = (refused: boolean): Promise<Credentials> => {
    const known = running.get(true) ?? running.get(refused);
    if (known !== undefined) return known;
    const begun = renewals;
    const asked = Promise.resolve({ refused })
      .then(ask)
      .then((headers) => {
        if (refused) renewals += 1;
        return { headers, renewals: refused ? renewals : begun };
      })
      .finally(() => running.delete(refused));
    running.set(refused, asked);
    return asked;
  };
  return {
    current: () => shared(false),
    renew: (old: Credentials) => shared(old.renewals === renewals),
  };
}
