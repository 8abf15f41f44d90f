/** What a server tells the measuring process. */
export type Usage = { readonly port: number } | { readonly cpuMicroseconds: number } | { readonly rssBytes: number };
