import type { Describing } from "../../../engine/description/describing.js";
import { pascalCase } from "../../../engine/description/schemaNames.js";
import { typeSchema } from "../../../engine/description/schemas/fieldSchema.js";
import { answered, instant, text, whole } from "../../../engine/description/schemas/object.js";
import type { JsonSchema } from "../../../engine/operation/description.js";

const signed = {
  "webhook-id": { ...text, description: "The id of the event." },
  "webhook-timestamp": { ...whole, description: "When it was signed, in seconds since 1970." },
  "webhook-signature": {
    ...text,
    description: "`v1,` and the HMAC-SHA256 of id, timestamp and body; one for each valid secret (Standard Webhooks).",
  },
  "webhook-event": { ...text, description: "The type of the event." },
  "webhook-delivery": { ...text, description: "The id of the delivery." },
  "webhook-attempt": { ...whole, description: "1 for the first attempt." },
};

/** What receivers get: each type of events with its headers and its body. Undefined if the caller may not register webhooks. */
export function describeEvents(describing: Describing): Readonly<Record<string, object>> | undefined {
  const { operations, resources } = describing;
  if (!operations.has("webhooks.create")) return undefined;
  const own = [...resources.values()].filter(({ name }) => operations.has(`${name}.list`)).flatMap(({ resource }) => [...resource.events.keys()]);
  const types = [...new Set([...own, ...actionEvents(operations), ...serviceEvents])].sort();
  return Object.fromEntries(types.map((type) => [type, { post: deliveryOf(describing, type) }]));
}

/** Data that would have been too large: the id alone. */
const truncated = answered({ truncated: { const: true } });

/** Events of the service itself. */
const serviceEvents = ["webhook.disabled", "webhook.test"];

function actionEvents(operations: Describing["operations"]): readonly string[] {
  return [...operations.values()].flatMap(({ action }) => action?.events ?? []);
}

function deliveryOf({ components, resources }: Describing, type: string): object {
  const schema = [...resources.values()].flatMap(({ resource }) => resource.events.get(type)?.schema ?? [])[0];
  const component = `${pascalCase(type)}Data`;
  const data = schema && { ...components.own(component, () => typeSchema(schema, "output", components, component)) };
  const parameters = Object.entries(signed).map(([name, schema]) =>
    components.shared("parameters", `Header.${name}`, { name, in: "header", required: true, schema }),
  );
  return {
    operationId: `events.${type}`,
    summary: `The event ${type}`,
    tags: ["events"],
    parameters,
    requestBody: { required: true, content: { "application/json": { schema: eventSchema(anyEvent(components), type, data) } } },
    // Receivers know the service by its signature, and not by the credentials that its own callers have.
    security: [],
    responses: { "2XX": { description: "Received. Any other answer is tried again." }, "410": { description: "Ends the webhook." } },
  };
}

function anyEvent(components: Describing["components"]): JsonSchema {
  return {
    ...components.own("Event", () => answered({ id: text, type: text, createdAt: instant, apiVersion: text, data: { type: "object" } })),
  };
}

function eventSchema(event: JsonSchema, type: string, data: JsonSchema | undefined): JsonSchema {
  return { allOf: [event, { type: "object", properties: { type: { const: type }, ...(data && { data: { anyOf: [data, truncated] } }) } }] };
}
