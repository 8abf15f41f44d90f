import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import type { WebhookSettings } from "../settings.js";
import type { AttemptResult, TransportRequest } from "./transport.js";
import { checkWebhookUrl } from "./url.js";

const blocked: AttemptResult = { errorCode: "ADDRESS_BLOCKED", latencyMs: 0, bodyHead: new Uint8Array(0), truncated: false };

/** Makes one attempt. The URL is checked again, because the rules may have changed since the registration. */
export async function send(
  { transport, network, observer }: Pick<WebhookSettings, "transport" | "network" | "observer">,
  { url }: Webhook,
  request: Omit<TransportRequest, "url">,
): Promise<AttemptResult> {
  let target: URL;
  try {
    target = checkWebhookUrl(url, network);
  } catch {
    return blocked;
  }
  if (observer === undefined) return transport.send({ ...request, url: target });
  return observer.send(target, (headers) => transport.send({ ...request, url: target, headers: { ...headers, ...request.headers } }));
}
