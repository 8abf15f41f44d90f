/** What there is of the package's interface; it comes without types. */
export interface CachePolicy {
  storable(): boolean;
  /** How long the answer is still fresh, in milliseconds. */
  timeToLive(): number;
  satisfiesWithoutRevalidation(request: PolicyRequest): boolean;
  revalidationHeaders(request: PolicyRequest): Record<string, string>;
  revalidatedPolicy(request: PolicyRequest, response: PolicyResponse): { policy: CachePolicy; modified: boolean; matches: boolean };
  responseHeaders(): Record<string, string>;
}

export interface PolicyRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
}

export interface PolicyResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
}

export type CachePolicyClass = new (request: PolicyRequest, response: PolicyResponse, options: { readonly shared: boolean }) => CachePolicy;
