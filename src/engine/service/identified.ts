import type { HttpRequest, HttpResponse } from "../../ground/http/message.js";
import type { Principal } from "../../parts/auth/verifier.js";

export type { Principal } from "../../parts/auth/verifier.js";

/** Who sends a request, or the answer that refuses it. */
export type Identified =
  | { readonly principal: Principal; readonly answer?: undefined }
  | { readonly principal?: undefined; readonly answer: HttpResponse };

/** What `requirePrincipal` of each host asks of a service. */
export interface Identifying {
  readonly identify: (request: HttpRequest) => Promise<Identified>;
}
