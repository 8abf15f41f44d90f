import { decodeSegment } from "../../../ground/http/target.js";
import { refuseParameters } from "../../../language/query/grammar/refuseParameters.js";
import type { AnswerFormat } from "../../operation/answers/answerFormat.js";
import type { Operation, QueryContext } from "../../operation/operation.js";
import { type Permit, permit } from "../../operation/permit.js";
import type { Inherited } from "../../operation/references/inherited.js";
import { requireBodyRule } from "./body.js";
import { requireClientVersion } from "./clientVersion.js";
import { refuseCrossSite } from "./crossSite.js";
import type { Entered } from "./enter.js";
import type { Caller } from "./identify.js";
import { type IdempotentKey, partKey, readKey } from "./key.js";

/** What a request asks for, and what its caller may do. */
export interface Admitted {
  readonly permit: Permit;
  readonly format: AnswerFormat | undefined;
  readonly query: unknown;
  readonly params: readonly string[];
  /** `undefined` if the operation runs without one. */
  readonly key: IdempotentKey | undefined;
  /** Whether the request, or the batch that it is part of, has a key. */
  readonly isKeyed: boolean;
}

/**
 * Judges a request before anything of its body is read: what reveals private information comes after authentication, what uses memory after permission.
 *
 * @throws {ProblemError} FORBIDDEN, CLIENT_TOO_OLD, UNSUPPORTED_VERSION, NOT_ACCEPTABLE, the problems of the query, those of the headers of the body, CROSS_SITE_REQUEST, and those
 * of an Idempotency-Key
 */
export async function admit(entered: Entered, { principal, request }: Caller): Promise<Admitted> {
  const { pipeline, environment, operation, match, headers, authRequest, inherited, arrival, sent } = entered;
  const isWhole = inherited === undefined;
  const { action, collection } = operation.access ?? {};
  const isJudged = action !== undefined && collection !== undefined && environment.authorize !== undefined;
  const allowed = isJudged ? await permit(environment, { principal, authRequest, action, collection }) : everything;
  const { minimumClientVersion } = pipeline.options;
  if (isWhole && minimumClientVersion !== undefined) requireClientVersion(headers, minimumClientVersion);
  if (arrival.refusal !== undefined) throw arrival.refusal;
  const format = isWhole ? operation.selectFormat?.(headers, arrival.json) : undefined;
  const asked = { environment, request, principal, permit: allowed, authRequest };
  const parsed = operation.readQuery === undefined ? refuseUnknown(operation, asked, inherited) : operation.readQuery(asked);
  const query = parsed instanceof Promise ? await parsed : parsed;
  const params = paramsOf(entered);
  const { endpoint } = match;
  if (operation.body && operation.body.checksHeadersItself !== true) requireBodyRule(request, headers, operation.body, { environment, endpoint });
  const foreign = isWhole ? refuseCrossSite(pipeline, sent, headers) : undefined;
  if (foreign !== undefined) await foreign;
  const isPartOfKeyed = inherited?.isKeyed === true;
  // A job has its own mechanism to run only once.
  if (inherited?.job !== undefined) return { permit: allowed, format, query, params, key: undefined, isKeyed: isPartOfKeyed };
  const own = readKey(pipeline, environment, operation, { headers, principal, authRequest, isPartOfKeyed });
  return { permit: allowed, format, query, params, key: own ?? inheritedKey(inherited), isKeyed: own !== undefined || isPartOfKeyed };
}

const everything: Permit = { fields: undefined };

/** The values of the variable segments. A composite id stays encoded, because its parts are decoded one by one. */
function paramsOf({ match: { params }, operation }: Entered): readonly string[] {
  const decoded = params.map(decodeSegment);
  return operation.hasCompositeId ? [...decoded.slice(0, -1), params.at(-1) ?? ""] : decoded;
}

/** Refuses unknown parameters. A signed URL verifies its own parameters, and a stored request was checked when it arrived. */
function refuseUnknown({ isSigned }: Operation, { request, authRequest, environment }: QueryContext, inherited: Inherited | undefined): void {
  if (inherited?.job !== undefined || isSigned?.(authRequest) === true) return;
  refuseParameters(request.query, environment.lists.query);
}

/** Reads are recorded too: later operations may depend on their results. */
function inheritedKey(inherited: Inherited | undefined): IdempotentKey | undefined {
  return inherited?.operationId === undefined ? undefined : partKey(inherited.operationId);
}
