import { isIP } from "node:net";
import { undiciTransport } from "restwright/undici";
import type { NetworkOptions, WebhookOptions } from "restwright/webhooks";
import type { Settings } from "./settings.js";

/**
 * How webhooks are delivered. `network.ca` is not set, so that Node's own certificate authorities apply, and those that NODE_EXTRA_CA_CERTS adds.
 *
 * @throws {ConfigurationError} for an entry of WEBHOOK_ALLOW_HOSTS that is neither a name nor an address
 */
export function webhookOptions({ webhookAllowHosts, webhookScheduleMs }: Settings): WebhookOptions {
  return {
    transport: undiciTransport({ network: networkOf(webhookAllowHosts) }),
    scheduleMs: webhookScheduleMs,
    isAdmin: ({ claims }) => claims?.["role"] === "admin",
  };
}

function networkOf(hosts: readonly string[]): NetworkOptions {
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  return {
    allowHosts: hosts.filter((host) => isIP(host) === 0),
    allowCidrs: addresses.map((address) => `${address}/${isIP(address) === 4 ? 32 : 128}`),
  };
}
