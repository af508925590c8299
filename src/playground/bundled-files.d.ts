// What the bundler makes of a worklet and of a style sheet: files with an address.

declare module '*?worker&url' {
  const address: string;
  export default address;
}
declare module '*.css';
