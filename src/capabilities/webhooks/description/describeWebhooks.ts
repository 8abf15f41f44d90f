import type { Components, Reference } from "../../../engine/description/components.js";
import type { Describing, Descriptions } from "../../../engine/description/describing.js";
import { accepted, jsonOf } from "../../../engine/description/media.js";
import { readConditions } from "../../../engine/description/parameters/headers.js";
import { listLinks, listMeta } from "../../../engine/description/schemas/listSchemas.js";
import { answered, arrayOf, instant, nullableInstant, nullableText, orNull, sent, text, whole } from "../../../engine/description/schemas/object.js";
import type { DescribedParameter, JsonSchema, OperationDescription } from "../../../engine/operation/description.js";
import type { Operation } from "../../../engine/operation/operation.js";
import { maxOverlapSeconds } from "../../../ground/secrets/maxOverlapSeconds.js";
import { describeAcceptedJob } from "../../jobs/description/describeAcceptedJob.js";
import { describeEvents } from "./describeEvents.js";

const secretNote = "Only this answer has the secret.";
const trigger: JsonSchema = { enum: ["auto", "replay", "test"] };
const deliveryStates = ["pending", "sending", "succeeded", "dead", "canceled"];

function webhookSchema(components: Components): Reference {
  return components.own("Webhook", () =>
    answered(
      {
        id: text,
        url: text,
        events: arrayOf(text),
        active: { type: "boolean" },
        filter: { description: "Null without a filter." },
        apiVersion: text,
        secretHint: text,
        previousSecretUntil: nullableInstant,
        previousSecrets: arrayOf(answered({ secretHint: nullableText, until: instant })),
        consecutiveFailures: whole,
        pausedUntil: nullableInstant,
        disabledReason: nullableText,
        disabledAt: nullableInstant,
        createdAt: instant,
        updatedAt: instant,
      },
      { secret: { type: "string", description: "Only in the answers that create or replace it." } },
    ),
  );
}

function deliveryMembers() {
  return {
    id: text,
    eventId: text,
    type: text,
    trigger,
    status: { enum: deliveryStates },
    url: nullableText,
    attemptCount: whole,
    lastAttempt: orNull(answered({ startedAt: instant, status: { type: ["integer", "null"] }, errorCode: nullableText })),
    nextAttemptAt: nullableInstant,
    createdAt: instant,
    endedAt: nullableInstant,
  };
}

function deliverySchema(components: Components): Reference {
  return components.own("Delivery", () => answered(deliveryMembers()));
}

function pageOf({ components, environment }: Describing, name: string, item: Reference): JsonSchema {
  const data = arrayOf({ ...item });
  if (environment.lists.envelope === "none") return data;
  return { ...components.own(name, () => answered({ data, meta: listMeta(components), links: listLinks(components) })) };
}

function pageAnswers(page: JsonSchema): OperationDescription["answers"] {
  const headers = ["ETag", "Link"];
  return [
    { status: 200, text: "A page of the list.", headers, bodies: [jsonOf(page)] },
    { status: 304, text: "The page has not changed.", headers },
  ];
}

function pageParameters({ environment: { limits } }: Describing): readonly DescribedParameter[] {
  return [
    { name: "perPage", schema: { type: "integer", minimum: 1, maximum: limits.maxPerPage, default: limits.perPage } },
    { name: "cursor", text: "`meta.nextCursor` of the page before.", schema: text },
  ];
}

const pageCodes = [
  "INVALID_VALUE",
  "EMPTY_VALUE",
  "INVALID_CURSOR",
  "REPEATED_PARAMETER",
  "CONFLICTING_PARAMETERS",
  "MALFORMED_HEADER",
  "PRECONDITION_FAILED",
];
const registrationCodes = ["VALIDATION_FAILED", "WEBHOOK_URL_NOT_HTTPS", "WEBHOOK_URL_NOT_ALLOWED", "UNKNOWN_EVENT", "INVALID_FILTER", "WEAK_SECRET"];
const changeCodes = ["NOT_FOUND", "MALFORMED_HEADER", "PRECONDITION_FAILED", "WRITE_CONFLICT"];
const ifMatch: DescribedParameter = { name: "If-Match", text: "412 unless the webhook still has this ETag.", schema: text };
const sendCodes = ["NOT_FOUND", "WEBHOOK_INACTIVE", "SECRET_UNREADABLE", "FORBIDDEN"];

const given = {
  url: text,
  events: { type: "array", minItems: 1, items: text, description: "Types of events, or patterns such as `order.*`." },
};
const optional = {
  filter: { description: "Only events whose row matches: a filter as in a search." },
  active: { type: "boolean" },
  apiVersion: text,
};

/** The registrations and deliveries of webhooks, and what their receivers get. */
export const describeWebhooks: Descriptions = {
  describe: (describing, operation) => webhookDescribers[operation.name]?.(describing, operation),
  webhooks: describeEvents,
};

/** Operations on webhooks, by name. */
const webhookDescribers: Readonly<Record<string, (describing: Describing, operation: Operation) => OperationDescription>> = {
  "webhooks.list": (describing) => ({
    summary: "List webhooks",
    query: pageParameters(describing),
    headers: readConditions,
    answers: pageAnswers(pageOf(describing, "WebhookList", webhookSchema(describing.components))),
    codes: pageCodes,
  }),
  "webhooks.create": ({ components, resources }) => ({
    summary: "Register a webhook",
    text: secretNote,
    bodies: [jsonOf(sent(given, { ...optional, secret: nullableText }), { url: "https://example.com/webhooks", events: [firstEvent(resources)] })],
    answers: [{ status: 201, text: "The webhook.", headers: ["Location", "ETag"], bodies: [jsonOf({ ...webhookSchema(components) })] }],
    codes: [...registrationCodes, "TOO_MANY_WEBHOOKS", "READ_ONLY_FIELD", "SECRET_UNREADABLE", "FORBIDDEN", "NOT_FOUND"],
  }),
  "webhooks.read": ({ components }) => ({
    summary: "Read a webhook",
    headers: readConditions,
    answers: [
      { status: 200, text: "The webhook.", headers: ["ETag", "Last-Modified"], bodies: [jsonOf({ ...webhookSchema(components) })] },
      { status: 304, text: "The webhook has not changed.", headers: ["ETag", "Last-Modified"] },
    ],
    codes: ["NOT_FOUND", "MALFORMED_HEADER", "PRECONDITION_FAILED"],
  }),
  "webhooks.update": ({ components }, operation) => ({
    summary: "Change a webhook",
    headers: [ifMatch, { name: "Prefer", text: "`return=minimal`", schema: text }],
    bodies: accepted(operation, () => sent({}, { ...given, ...optional, filter: orNull(optional.filter) }), {
      "application/merge-patch+json": { active: false },
    }),
    answers: [
      { status: 200, text: "The webhook as it is now.", headers: ["ETag", "Preference-Applied"], bodies: [jsonOf({ ...webhookSchema(components) })] },
      { status: 204, text: "Changed, with `Prefer: return=minimal`.", headers: ["ETag", "Preference-Applied"] },
    ],
    codes: [...registrationCodes, ...changeCodes, "READ_ONLY_FIELD", "FORBIDDEN"],
  }),
  "webhooks.remove": () => ({
    summary: "Delete a webhook",
    headers: [ifMatch],
    answers: [{ status: 204, text: "The webhook is deleted." }],
    codes: changeCodes,
  }),
  "webhooks.rotateSecret": ({ components }) => ({
    summary: "Replace the secret of a webhook",
    text: `${secretNote} The secret before goes on signing for \`overlapSeconds\`.`,
    headers: [ifMatch],
    bodies: [
      jsonOf(sent({}, { secret: nullableText, overlapSeconds: { type: "integer", minimum: 0, maximum: maxOverlapSeconds } }), {
        overlapSeconds: 3_600,
      }),
    ],
    answers: [{ status: 200, text: "The webhook.", headers: ["ETag"], bodies: [jsonOf({ ...webhookSchema(components) })] }],
    codes: [...changeCodes, "VALIDATION_FAILED", "WEAK_SECRET", "SECRET_UNREADABLE"],
  }),
  "webhooks.test": () => ({
    summary: "Send a sample event",
    answers: [{ status: 200, text: "What the receiver answered.", bodies: [jsonOf(testResult)] }],
    codes: [...sendCodes, "RATE_LIMITED"],
  }),
  "webhooks.recover": (describing) => ({
    summary: "Send failed deliveries again",
    bodies: [
      jsonOf(
        sent(
          { since: instant },
          { until: nullableInstant, statuses: { type: "array", minItems: 1, items: { enum: ["dead", "canceled", "succeeded"] } } },
        ),
      ),
    ],
    answers: [describeAcceptedJob(describing, "A job sends them.")],
    codes: [...sendCodes, "VALIDATION_FAILED", "JOBS_UNSUPPORTED", "TOO_MANY_JOBS"],
  }),
  "webhooks.listDeliveries": (describing) => ({
    summary: "List the deliveries of a webhook, newest first",
    query: [
      { name: "status", style: "form", explode: false, schema: arrayOf({ enum: deliveryStates }) },
      { name: "type", text: "The type of the event.", schema: text },
      { name: "since", schema: instant },
      ...pageParameters(describing),
    ],
    headers: readConditions,
    answers: pageAnswers(pageOf(describing, "DeliveryList", deliverySchema(describing.components))),
    codes: ["NOT_FOUND", ...pageCodes],
  }),
  "webhooks.readDelivery": ({ components }) => ({
    summary: "Read a delivery with its attempts",
    headers: readConditions,
    answers: [
      {
        status: 200,
        text: "The delivery.",
        headers: ["ETag"],
        bodies: [
          jsonOf({
            ...components.own("DeliveryDetails", () => answered({ ...deliveryMembers(), attempts: arrayOf(attempt), event: {} })),
          }),
        ],
      },
      { status: 304, text: "The delivery has not changed.", headers: ["ETag"] },
    ],
    codes: ["NOT_FOUND", "MALFORMED_HEADER", "PRECONDITION_FAILED"],
  }),
  "webhooks.replay": ({ components }) => ({
    summary: "Send the event of a delivery again",
    answers: [{ status: 202, text: "The new delivery.", headers: ["Location"], bodies: [jsonOf({ ...deliverySchema(components) })] }],
    codes: sendCodes,
  }),
};

/** An event of a collection, or one of the service itself. */
function firstEvent(resources: Describing["resources"]): string {
  return [...resources.values()].flatMap(({ resource }) => [...resource.events.keys()])[0] ?? "webhook.disabled";
}

const testResult = answered({
  deliveryId: text,
  eventId: text,
  outcome: text,
  status: { type: ["integer", "null"] },
  latencyMs: { type: "number" },
  errorCode: nullableText,
});

const attempt = answered({
  n: whole,
  trigger,
  startedAt: instant,
  url: nullableText,
  latencyMs: { type: "number" },
  status: { type: ["integer", "null"] },
  errorCode: nullableText,
  body: text,
  bodyEncoding: { enum: ["utf-8", "base64"] },
  interrupted: { type: "boolean" },
});
