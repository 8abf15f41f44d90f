import type { Capability, OpenCapability } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import type { Operation } from "../../engine/operation/operation.js";
import type { Resource } from "../../engine/resource/resource.js";
import type { Limits } from "../../ground/limits/limits.js";
import { listOf, optionsCheck, passing, strict } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { withFormats } from "./bodyRule.js";
import type { Format } from "./format.js";
import { form } from "./forms/form.js";
import { multipart } from "./forms/multipart.js";
import { offerOf, selectorOf } from "./offers.js";

/** Options of {@link formats}. */
export interface FormatsOptions {
  /** Formats in addition to JSON and forms, the preferred first: `csv()` and `ndjson()` for lists, `xml()` for collections whose `accepts` names it. */
  readonly use?: readonly Format[] | undefined;
}

const check = /* @__PURE__ */ optionsCheck("formats", () =>
  strict<FormatsOptions>({
    use: listOf(
      passing("a format, such as csv()", (value) => Array.isArray((value as Partial<Format> | null)?.types)),
      "an array of formats",
    ),
  }),
);

/**
 * Answers and bodies that are not JSON. The format of an answer is negotiated by `Accept`: a request that accepts none of those that an operation has is refused
 * with 406, before its body is read. A resource names the formats of its bodies in `accepts`; the same schema validates them.
 *
 * @throws {ConfigurationError} for an unknown option, a format that is named twice, and a resource that accepts a format which is not in `use`
 * @see RFC 9110 §12.5.1
 * @example
 * const users = defineResource("users", { schema, accepts: ["json", "form", "multipart", "xml"] });
 * createService({ resources: [users], storage, use: [formats({ use: [csv(), ndjson(), xml()] })] });
 */
export function formats(options: FormatsOptions = {}): Capability {
  check(options);
  const all = [...(options.use ?? []), form(), multipart()];
  const names = all.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ConfigurationError(`formats: "use" names "${twice}" twice.`);
  return { name: "formats", resourceOptions: ["accepts"], open: (host) => open(all, host) };
}

/** @throws {ConfigurationError} for a resource that accepts a format which is not used */
function open(all: readonly Format[], { resources, environment }: Host): OpenCapability {
  for (const { name, resource } of resources.values()) {
    for (const accepted of resource.accepts) {
      if (accepted === "json" || all.some((format) => format.name === accepted)) continue;
      throw new ConfigurationError(`${name}: "accepts" names "${accepted}"; add ${accepted}() of "restwright/${accepted}" to "use" of formats().`);
    }
  }
  return {
    async start() {
      for (const format of all) await format.start?.();
    },
    adaptRoute: (route, collections) => ({
      ...route,
      operations: route.operations.map((operation) =>
        withOffer(all, operation, collections.get(operation.access?.collection ?? "")?.resource, environment.limits),
      ),
    }),
  };
}

function withOffer(all: readonly Format[], operation: Operation, resource: Resource | undefined, limits: Limits): Operation {
  const { answers, method, body, vary } = operation;
  const takesRow = answers === "row" && (method === "POST" || method === "PUT");
  const accepted = takesRow ? all.filter(({ name }) => resource?.accepts.has(name as "xml") === true) : [];
  const offer = offerOf(all, operation, resource?.accepts);
  const select = offer && selectorOf(offer);
  return {
    ...operation,
    ...(select && {
      vary: vary === undefined ? "Accept" : `${vary}, Accept`,
      selectFormat: (headers, json) => select(headers.get("accept"), json),
      answerTypes: [...offer.keys()],
    }),
    ...(body && resource && accepted.length > 0 && { body: withFormats(body, accepted, resource, limits) }),
  };
}
