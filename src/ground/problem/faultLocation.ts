/** The location of a fault in a request: a query parameter, or a JSON pointer into the body (RFC 6901). */
export type FaultLocation = { readonly parameter: string } | { readonly pointer: string };
