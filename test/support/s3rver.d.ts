// What the tests use of s3rver, which brings no types.
declare module 's3rver' {
  type ListOptions = { readonly prefix?: string; readonly delimiter?: string };
  type Listed = {
    readonly objects: readonly { readonly key: string }[];
    readonly commonPrefixes: readonly string[];
    readonly isTruncated: boolean;
  };
  class S3rver {
    constructor(options: {
      readonly port: number;
      readonly address: string;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly string[] }[];
    });
    readonly store: S3rver.Store;
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
  namespace S3rver {
    type Store = { listObjects(bucket: string, options: ListOptions): Promise<Listed> };
  }
  export default S3rver;
}
