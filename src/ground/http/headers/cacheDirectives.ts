/**
 * The directives of `Cache-Control` in an answer. Times are whole seconds, at most 2,147,483,648.
 *
 * @see RFC 9111 §5.2.2, RFC 5861 §3, RFC 8246
 */
export interface CacheDirectives {
  /** Shared caches may store the answer, even if the request has credentials. */
  readonly public?: boolean | undefined;
  /** Only the cache of the client may store the answer. */
  readonly private?: boolean | undefined;
  /** No cache may store the answer. */
  readonly noStore?: boolean | undefined;
  /** Caches ask the service before they use the stored answer. */
  readonly noCache?: boolean | undefined;
  /** How long the answer is fresh. */
  readonly maxAge?: number | undefined;
  /** How long the answer is fresh in shared caches, instead of `maxAge`. */
  readonly sMaxAge?: number | undefined;
  /** How long a cache may still use the answer after it is stale, while it asks the service. */
  readonly staleWhileRevalidate?: number | undefined;
  /** A stale answer is never used without asking the service, also if the service cannot be reached. */
  readonly mustRevalidate?: boolean | undefined;
  /** The answer never changes while it is fresh: browsers do not ask again on reload. */
  readonly immutable?: boolean | undefined;
}
