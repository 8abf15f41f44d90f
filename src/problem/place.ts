/** Where in a request a fault stands: a query parameter, or a place in the body (RFC 6901). */
export type Place = { readonly parameter: string } | { readonly pointer: string };
