import type { HttpResponse } from "../http/message.js";
import type { Context } from "../operation/context.js";
import { isEventType } from "../operation/eventType.js";
import type { Operation } from "../operation/operation.js";
import { emptyValue, type Faults, quoted } from "../query/fault.js";
import { parseDateTime } from "../schema/wire.js";
import type { DeliveryState } from "../storage/deliveries.js";
import { deliveryDocument } from "./deliveryDocument.js";
import { findWebhook } from "./findWebhook.js";
import { answerPage, cursorsOf, pageParameters, placeBehind } from "./page.js";
import { readParameters } from "./parameters.js";
import type { WebhookSettings } from "./settings.js";

const states: readonly DeliveryState[] = ["pending", "sending", "succeeded", "dead", "canceled"];

/** GET of the deliveries of a webhook, the newest first. */
export function listDeliveriesOperation(settings: WebhookSettings): Operation {
  return {
    name: "webhooks.listDeliveries",
    method: "GET",
    safety: "safe",
    access: { action: "list", collection: "webhooks" },
    run: (context) => list(settings, context),
  };
}

async function list(settings: WebhookSettings, context: Context): Promise<HttpResponse> {
  const { status, type, since, perPage, cursor } = readParameters(context, {
    status: readStates,
    type: readType,
    since: readSince,
    ...pageParameters(context),
  });
  const webhook = await findWebhook(settings, context);
  const codec = cursorsOf(context, `webhooks/deliveries ${JSON.stringify([webhook.id, status, type, since])}`);
  const place = placeBehind(codec, cursor);
  const after = typeof place === "number" ? place : undefined;
  const found = await settings.deliveries.list({ webhook: webhook.id, states: status, type, since, after, limit: perPage + 1 });
  return answerPage(
    context,
    { found, perPage, codec, show: (delivery) => deliveryDocument(delivery, webhook), placeOf: ({ position }) => position },
    after !== undefined,
  );
}

/** In one order, each once: a list is the same in whatever order its states are named. */
function readStates(value: string | undefined, faults: Faults): readonly DeliveryState[] | undefined {
  if (value === undefined) return undefined;
  const named = value.split(",");
  const unknown = named.find((name) => !(states as readonly string[]).includes(name));
  if (unknown === undefined) return states.filter((state) => named.includes(state));
  const detail = `"status" must be a list of ${states.join(", ")}; got ${quoted(unknown)}.`;
  const fault = { code: "INVALID_VALUE", detail, parameter: "status", allowed: states } as const;
  faults.push(value === "" ? emptyValue("status", { parameter: "status" }) : fault);
  return undefined;
}

function readType(value: string | undefined, faults: Faults): string | undefined {
  if (value === undefined || isEventType(value)) return value;
  faults.push({ code: "INVALID_VALUE", detail: `"type" must be the type of an event; got ${quoted(value)}.`, parameter: "type" });
  return undefined;
}

function readSince(value: string | undefined, faults: Faults): Date | undefined {
  const since = value === undefined ? undefined : parseDateTime(value);
  if (value === undefined || since !== undefined) return since;
  const detail = `"since" must be a date-time with Z or an offset; got ${quoted(value)}.`;
  faults.push({ code: "INVALID_VALUE", detail, parameter: "since" });
  return undefined;
}
