import { lookup as lookupOfSystem } from "node:dns/promises";
import { isIPv6, type LookupFunction } from "node:net";
import { checkAddress } from "../../src/capabilities/webhooks/delivery/address.js";
import type { NetworkPolicy } from "../../src/capabilities/webhooks/delivery/network.js";
import { ConnectError } from "./connectError.js";

/** All addresses of a name, in the order in which they are to be tried. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/** Asks the resolver of the operating system, the hosts file included. */
export const systemLookup: Lookup = async (hostname) => (await lookupOfSystem(hostname, { all: true })).map(({ address }) => address);

/**
 * A look-up for a socket that connects to public addresses only. One address that is not public fails the whole look-up, because a name that resolves to
 * both kinds is suspicious. The socket connects to the addresses that were checked.
 */
export function guardedLookup(lookup: Lookup, network: NetworkPolicy): LookupFunction {
  return (hostname, options, callback) => {
    resolveGuarded(hostname, lookup, network).then(
      ([first, ...others]) => {
        if (options.all) callback(null, [first, ...others].map(withFamily));
        else callback(null, first, withFamily(first).family);
      },
      (error: ConnectError) => callback(error, options.all ? [] : ""),
    );
  };
}

/** @throws {ConnectError} ERR_LOOKUP_FAILED, ERR_ADDRESS_BLOCKED */
async function resolveGuarded(hostname: string, lookup: Lookup, network: NetworkPolicy): Promise<readonly [string, ...string[]]> {
  const [first, ...others] = await addressesOf(hostname, lookup);
  if (first === undefined) throw new ConnectError("ERR_LOOKUP_FAILED", `The name ${hostname} has no address.`);
  const isBlocked = [first, ...others].some((address) => checkAddress(address, network) === "blocked");
  if (isBlocked && !network.allowHosts.has(hostname)) {
    throw new ConnectError("ERR_ADDRESS_BLOCKED", `The name ${hostname} has an address that is not public.`);
  }
  return [first, ...others];
}

async function addressesOf(hostname: string, lookup: Lookup): Promise<readonly string[]> {
  try {
    return await lookup(hostname);
  } catch (cause) {
    throw new ConnectError("ERR_LOOKUP_FAILED", `The name ${hostname} could not be looked up.`, { cause });
  }
}

function withFamily(address: string): { address: string; family: 4 | 6 } {
  return { address, family: isIPv6(address) ? 6 : 4 };
}
