import type { Context } from "../../../engine/operation/context.js";
import { isEventType } from "../../../engine/operation/eventType.js";
import { type Operation, parsesQuery } from "../../../engine/operation/operation.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { quote } from "../../../ground/problem/quote.js";
import type { DeliveryState } from "../../../ground/storage/queue/deliveries.js";
import { emptyValue, type Faults } from "../../../language/query/fault.js";
import { parseDateTime } from "../../../language/schema/wire.js";
import { findWebhook } from "../registration/findWebhook.js";
import { answerPage, cursorsOf, pageParameters, positionInCursor } from "../registration/page.js";
import { readParameters } from "../registration/parameters.js";
import type { WebhookSettings } from "../settings.js";
import { listedDeliveries } from "./deliveryAudience.js";
import { deliveryDocument } from "./deliveryDocument.js";

const states: readonly DeliveryState[] = ["pending", "sending", "succeeded", "dead", "canceled"];

/** GET of the deliveries of a webhook, newest first. */
export function listDeliveriesOperation(settings: WebhookSettings): Operation {
  return {
    name: "webhooks.listDeliveries",
    method: "GET",
    access: { action: "list", collection: "webhooks" },
    readQuery: parsesQuery,
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
  const place = positionInCursor(codec, cursor);
  const after = typeof place === "number" ? place : undefined;
  const found = await listedDeliveries(settings, context, { webhook: webhook.id, states: status, type, since, after, limit: perPage + 1 });
  return answerPage(
    context,
    { found, perPage, codec, show: (delivery) => deliveryDocument(delivery, webhook), placeOf: ({ position }) => position },
    after !== undefined,
  );
}

/** Sorted and without repetition, so that the order of the states in the query does not change the cursor. */
function readStates(value: string | undefined, faults: Faults): readonly DeliveryState[] | undefined {
  if (value === undefined) return undefined;
  const named = value.split(",");
  const unknown = named.find((name) => !(states as readonly string[]).includes(name));
  if (unknown === undefined) return states.filter((state) => named.includes(state));
  const detail = `"status" must be a list of ${states.join(", ")}; got ${quote(unknown)}.`;
  const fault = { code: "INVALID_VALUE", detail, parameter: "status", allowed: states } as const;
  faults.push(value === "" ? emptyValue("status", { parameter: "status" }) : fault);
  return undefined;
}

function readType(value: string | undefined, faults: Faults): string | undefined {
  if (value === undefined || isEventType(value)) return value;
  faults.push({ code: "INVALID_VALUE", detail: `"type" must be the type of an event; got ${quote(value)}.`, parameter: "type" });
  return undefined;
}

function readSince(value: string | undefined, faults: Faults): Date | undefined {
  const since = value === undefined ? undefined : parseDateTime(value);
  if (value === undefined || since !== undefined) return since;
  const detail = `"since" must be a date-time with Z or an offset; got ${quote(value)}.`;
  faults.push({ code: "INVALID_VALUE", detail, parameter: "since" });
  return undefined;
}
