import type { Describing } from "../../engine/description/describing.js";
import { type Operation, takesKey } from "../../engine/operation/operation.js";
import type { Route } from "../../engine/operation/route.js";

/** The problems of the steps before an operation runs. */
export function pipelineCodes({ environment, takesKeys }: Describing, { segments }: Route, operation: Operation): readonly string[] {
  const { verifiers, authorize, rules } = environment;
  const { access, usesStorage, body, readsBody, method } = operation;
  const when = (condition: unknown, ...codes: readonly string[]) => (condition ? codes : []);
  return [
    "URI_TOO_LONG",
    "TRANSFER_CODING_UNSUPPORTED",
    "INTERNAL",
    "SHUTTING_DOWN",
    "MALFORMED_HEADER",
    "REPEATED_HEADER",
    "MALFORMED_QUERY",
    "UNKNOWN_FIELD",
    "REPEATED_PARAMETER",
    "CLIENT_TOO_OLD",
    ...when(access !== undefined || usesStorage, "STORAGE_UNAVAILABLE", ...when(takesKey(operation), "OUTCOME_UNKNOWN")),
    ...when(access !== undefined && (verifiers.length > 0 || authorize !== undefined || rules !== undefined), "HOOK_TIMEOUT"),
    ...when(segments.includes(null), "MALFORMED_TARGET"),
    ...when(verifiers.length > 0 && access !== undefined, "UNAUTHENTICATED", "AUTHENTICATION_UNAVAILABLE", "CONFLICTING_CREDENTIALS", "FORBIDDEN"),
    ...when(
      verifiers.some(({ openBody }) => openBody !== undefined),
      "PAYLOAD_TOO_LARGE",
      "REQUEST_TIMEOUT",
    ),
    ...when(authorize !== undefined && access !== undefined, "FORBIDDEN", "NOT_FOUND", "UNAUTHENTICATED"),
    ...when(method !== "GET" && method !== "QUERY", "METHOD_OVERRIDE_FORBIDDEN", "CROSS_SITE_REQUEST"),
    ...when(operation.selectFormat !== undefined || /\bAccept\b/.test(operation.vary ?? ""), "NOT_ACCEPTABLE"),
    ...when(body !== undefined || readsBody, "REQUEST_TIMEOUT", "UNSUPPORTED_MEDIA_TYPE", body?.tooLarge ?? "PAYLOAD_TOO_LARGE"),
    ...(body === undefined ? [] : bodyCodes(body.supported)),
    ...when(takesKeys && takesKey(operation), ...keyCodes, ...when(operation.requiresKey, "IDEMPOTENCY_KEY_REQUIRED")),
  ];
}

const keyCodes = ["IDEMPOTENCY_KEY_INVALID", "IDEMPOTENCY_KEY_IN_FLIGHT", "IDEMPOTENCY_KEY_REUSED", "NOT_SUPPORTED"];

/** What a body may be refused for while it is parsed. */
function bodyCodes(types: readonly string[]): readonly string[] {
  const has = (pattern: RegExp) => types.some((type) => pattern.test(type));
  return [
    "MALFORMED_COMPRESSION",
    "PAYLOAD_TOO_LARGE",
    "UNKNOWN_CHARSET",
    ...(has(/json/) ? ["MALFORMED_JSON", "VALIDATION_FAILED", "INVALID_VALUE"] : []),
    ...(has(/x-www-form-urlencoded/) ? ["MALFORMED_FORM"] : []),
    ...(has(/^multipart\/form-data$/)
      ? ["MALFORMED_FORM", "MALFORMED_MULTIPART", "MISSING_PART_NAME", "TOO_MANY_FIELDS", "TOO_MANY_PARTS", "FIELD_TOO_LARGE"]
      : []),
    ...(has(/xml/) ? ["MALFORMED_XML"] : []),
  ];
}
