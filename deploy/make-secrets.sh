#!/bin/sh
# Makes what compose-cluster.yaml names as secrets, in ./secrets; what is there stays as it is.
set -eu
umask 022
mkdir -p -m 700 secrets
make() {
  [ -e "secrets/$1" ] || printf '%s\n' "$2" > "secrets/$1"
}
make api-keys "me:$(openssl rand -hex 24)"
make secret "$(openssl rand -base64 32)"
make database-password "$(openssl rand -hex 24)"
make database-url "postgres://voxgate:$(cat secrets/database-password)@postgres:5432/voxgate"
make s3.env "AWS_ACCESS_KEY_ID=voxgate
AWS_SECRET_ACCESS_KEY=$(openssl rand -hex 24)"
